export { likenessBy, type Likeness } from './likeness.ts'
export { nearDuplicates } from './near-duplicates.ts'
export { withoutMarks } from './said.ts'
export { saidOf, twinsAmong, type Line } from './twins.ts'
