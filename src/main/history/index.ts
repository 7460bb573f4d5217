export { History } from './history.ts'
export { Journal, recordInJournal } from './journal.ts'
