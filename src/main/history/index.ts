export { History } from './history.ts'
export { Journal } from './journal.ts'
