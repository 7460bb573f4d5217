export { DiskWatch } from './disk.ts'
export { withFaultsTold } from './faults.ts'
export { Health } from './health.ts'
export { reportIndex } from './index-reports.ts'
