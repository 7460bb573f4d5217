export { Finder } from './finder.ts'
