export { Sessions } from './sessions.ts'
export type { KeptContent, KeptEntry, Transcript, TranscriptEntry } from './transcript.ts'
export { isSessionOver, type ResetRule } from './reset.ts'
export { commandEntry, noticeEntry, sessionEvents } from './events.ts'
