export { Checks } from './checks.ts'
