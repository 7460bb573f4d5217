export type { Unseen } from './hidden-ranges.ts'
export { LocalNotes } from './local-notes.ts'
export type { NotesFolder } from './privacy-rules.ts'
