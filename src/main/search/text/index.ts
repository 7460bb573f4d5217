export { queryTerms, type QueryTerm } from '../query/parse-query.ts'
export { findDates } from './language/dates.ts'
export {
  calendarOf,
  type Day,
  type DaySpan,
  formatDay,
  monthSpan,
  parseDay,
  spanOf,
  weekSpan,
} from './language/dates.ts'
export { isSimplified, simplify } from '#shared/util/han.ts'
export {
  englishOpenings,
  englishQuestionWord,
  handsOverText,
  isPartOfNoun,
  isRequest,
  isTask,
  sentencesOf,
} from './language/sentences.ts'
export { unitAfter } from './language/time-rules.ts'
export { asksAhead, datedNote, parseTemporalExpressions, relativeTimes } from './language/times.ts'
export { anyOf, hasAnyOf, isFirstPerson, monthNames, namesTime, weekdays } from './language/words.ts'
export { isMarkedOld, toPlainText } from './plain-line.ts'
export { probabilityOf } from './logistic.ts'
export { areRepeated, pairPropertiesOf, subjectLineOf } from './same-subject.ts'
export { fold } from './terms.ts'
