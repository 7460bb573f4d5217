export { EarlierPrivacy } from './earlier-privacy.ts'
export {
  marksBy,
  openFiles,
  openPlaces,
  type Place,
  type PrivacyMarks,
  type PrivacyOfFiles,
  type ReadPlace,
  lineKeys,
} from './privacy-marks.ts'
export {
  findRule,
  rulesForMove,
  type NotePrivacy,
  type NotesFolder,
  type PrivateRules,
  resolveRules,
  rulesForFolder,
} from './privacy-rules.ts'
