import { constants, setPriority } from 'node:os'

/** Lowers the priority of this thread. Linux only: elsewhere the call would affect the whole process. */
export function lowerThreadPriority(): void {
  if (process.platform !== 'linux') return
  try {
    setPriority(constants.priority.PRIORITY_BELOW_NORMAL)
  } catch {
    // Not permitted; the thread keeps its priority.
  }
}
