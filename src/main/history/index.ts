export { History } from './history.ts'
export { Journal } from './journal.ts'
export type { HistoryProblem } from './recorder.ts'
