export { History } from './history.ts'
export type { HistoryProblem } from './recorder.ts'
export { Journal } from './journal.ts'
