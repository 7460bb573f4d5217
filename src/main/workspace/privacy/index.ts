export type { Unseen } from './hidden-ranges.ts'
export { LocalNotes, type Sight } from './local-notes.ts'
export { KnownWords } from './local-text-matcher.ts'
export type { NotesFolder } from './privacy-rules.ts'
