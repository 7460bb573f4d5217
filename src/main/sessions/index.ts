export { Sessions } from './sessions.ts'
export type { Transcript } from './transcript.ts'
