export { History } from './history.ts'
export { Journal } from './journal.ts'
export { Recording } from './recording.ts'
