import { isRecord } from '../util/json.ts'

/** Written below the entry that becomes the end of the current branch. */
export const branchEntry = 'commonplace.branch'

export interface BranchMark {
  /** The message from which on the user deleted; its branch is not offered any more. */
  readonly deleted?: string
  /** Takes a deletion back. */
  readonly restored?: string
}

/** @param data of such an entry, as it was read */
export function readBranchMark(data: unknown): BranchMark {
  if (!isRecord(data)) return {}
  const { deleted, restored } = data
  return {
    ...(typeof deleted === 'string' ? { deleted } : {}),
    ...(typeof restored === 'string' ? { restored } : {}),
  }
}
