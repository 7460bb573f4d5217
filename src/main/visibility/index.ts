export { LocalNotes, type LocalNote, type Marks, type NotesFolder, type Sight } from './local-notes.ts'
