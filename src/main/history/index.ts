export { History } from './history.ts'
export type { HistoryProblem } from './recorder.ts'
export { Recording } from './recording.ts'
