export { Sessions } from './sessions.ts'
export type { KeptContent, Transcript, TranscriptEntry } from './transcript.ts'
export { isSessionOver } from './reset.ts'
export { commandEntry, noticeEntry, sessionEvents } from './events.ts'
