import { isRecord } from '../util/json.ts'

/** Custom entry appended to the last entry of the branch that becomes active. */
export const branchEntry = 'commonplace.branch'

export interface BranchMark {
  /** Id of the first deleted message; the branch is no longer offered. */
  readonly deleted?: string | undefined
  readonly restored?: string | undefined
}

export function readBranchMark(data: unknown): BranchMark {
  const idOf = (value: unknown) => (typeof value === 'string' ? value : undefined)
  return isRecord(data) ? { deleted: idOf(data['deleted']), restored: idOf(data['restored']) } : {}
}

/** Custom entry that turns memory off or on; the last one applies. Without one, memory is on. */
export const memoryToggleEntry = 'commonplace.memory'

export function isWithoutMemory(data: unknown): boolean {
  return isRecord(data) && data['isOff'] === true
}

/** Custom entry that turns the recall of notes for each message off or on, with data as `memoryToggleEntry`. */
export const recallToggleEntry = 'commonplace.recall'

/** Custom entry that makes a chat private, or open again; the last one applies. Without one, a chat is open. */
export const privacyToggleEntry = 'commonplace.privacy'

/** Returns true if the data of such an entry makes the chat private. Invalid data does, too. */
export function isPrivateChat(data: unknown): boolean {
  return data !== undefined && !(isRecord(data) && data['isPrivate'] === false)
}
