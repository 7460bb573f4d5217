export {
  marksBy,
  openFiles,
  openPlaces,
  type Place,
  type PrivacyMarks,
  type PrivacyOfFiles,
  type ReadPlace,
} from './privacy-marks.ts'
export { findRule, type NotePrivacy, type NotesFolder, type PrivateRules, rulesForMove } from './privacy-rules.ts'
export { lineKeys } from './line-key.ts'
export { resolveRules, rulesForFolder } from './rule-places.ts'
