export { Connections } from './connections.ts'
