export { runCandidates, type LookOptions, type NotesOptions } from './look.ts'
export type { ReviewModel } from './review/review.ts'
export { Scheduler } from './scheduler.ts'
export { Upkeep } from './upkeep.ts'
