export { EarlierPrivacy, lineKeys, marksBy, type PrivacyMarks } from './privacy-marks.ts'
export {
  findRule,
  type NotePrivacy,
  type NotesFolder,
  type PrivateRules,
  resolveRules,
  rulesForFolder,
  rulesForMove,
} from './privacy-rules.ts'
