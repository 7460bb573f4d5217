import { isRecord } from '../util/json.ts'

/** The last one counts; a conversation without one is part of memory. */
export const memoryEntry = 'commonplace.memory'

/** @param data of such an entry, as it was read */
export function isWithoutMemory(data: unknown): boolean {
  return isRecord(data) && data['isOff'] === true
}
