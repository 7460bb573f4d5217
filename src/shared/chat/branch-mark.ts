import { isRecord } from '../util/json.ts'

/** Custom entry appended to the last entry of the branch that becomes active. */
export const branchEntry = 'commonplace.branch'

export interface BranchMark {
  /** Id of the first deleted message; the branch is no longer offered. */
  readonly deleted?: string
  readonly restored?: string
}

/** Parses the data of a branch entry; empty for invalid data. */
export function readBranchMark(data: unknown): BranchMark {
  if (!isRecord(data)) return {}
  const { deleted, restored } = data
  return {
    ...(typeof deleted === 'string' ? { deleted } : {}),
    ...(typeof restored === 'string' ? { restored } : {}),
  }
}
