import { isRecord } from '../util/json.ts'

/** Custom entry that turns memory off or on; the last one applies. Without one, memory is on. */
export const memoryToggleEntry = 'commonplace.memory'

/** Returns true if the data of such an entry turns memory off; false for invalid data. */
export function isWithoutMemory(data: unknown): boolean {
  return isRecord(data) && data['isOff'] === true
}
