import { constants, setPriority } from 'node:os'

/** Of this thread alone, which only Linux can; elsewhere it would be the whole process. */
export function yieldToOthers(): void {
  if (process.platform !== 'linux') return
  try {
    setPriority(constants.priority.PRIORITY_BELOW_NORMAL)
  } catch {
    // A system that does not let it runs it like the others.
  }
}
