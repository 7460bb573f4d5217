export { marksBy, openFiles, openPlaces, type PrivacyMarks, type PrivacyOfFiles } from './privacy-marks.ts'
export { type NotePrivacy, rulesForMove, type NotesFolder, findRule } from './privacy-rules.ts'
export { lineKeys } from './line-key.ts'
export { resolveRules, rulesForFolder } from './rule-places.ts'
