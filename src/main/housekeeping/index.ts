export { diagnostics } from './diagnostics.ts'
export { dataLocations } from './locations.ts'
export { readLog } from './log-tail.ts'
