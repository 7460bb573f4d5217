export { Upkeep } from './upkeep.ts'
export type { LookOptions } from './look.ts'
