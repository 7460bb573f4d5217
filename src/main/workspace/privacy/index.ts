export { EarlierPrivacy, lineKey, marksBy, type PrivacyMarks } from './privacy-rules.ts'
export {
  findRule,
  type NotePrivacy,
  type NotesFolder,
  type PrivateRules,
  resolveRules,
  rulesForFolder,
  rulesForMove,
} from './privacy-rules.ts'
