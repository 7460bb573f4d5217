/** The entry of a transcript that says whether the conversation is held without memory (M65), as all who read transcripts see it. */
import { isRecord } from '../util/json.ts'

/** The last one counts; a conversation without one is part of memory. */
export const memoryEntry = 'commonplace.memory'

/** @param data of such an entry, as it was read */
export function isWithoutMemory(data: unknown): boolean {
  return isRecord(data) && data['isOff'] === true
}
