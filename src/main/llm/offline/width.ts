/** How much a text says, by its length: a CJK character is about two Latin letters. Pure. */
import { countCjk } from '#shared/util/tokens.ts'

/** What is shorter says hardly anything. */
export const minWidth = 8

export function widthOf(text: string): number {
  return text.length + countCjk(text)
}
