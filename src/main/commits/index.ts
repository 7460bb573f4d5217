export { Commits } from './commits.ts'
