export { type DaySpan, formatDay, parseDay } from './days.ts'
export { isSimplified, simplify } from './han.ts'
export { timesIn } from './temporal-expressions.ts'
