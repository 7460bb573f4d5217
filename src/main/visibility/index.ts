export { LocalNotes, type LocalNote, type NotesFolder, type Sight } from './local-notes.ts'
