import { isRecord } from '../util/json.ts'

/** Custom entry that turns memory off or on; the last one applies. Without one, memory is on. */
export const memoryToggleEntry = 'commonplace.memory'

/** @param data of such an entry; may be invalid */
export function isWithoutMemory(data: unknown): boolean {
  return isRecord(data) && data['isOff'] === true
}
