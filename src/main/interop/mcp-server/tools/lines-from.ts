import { AppError } from '#shared/util/errors.ts'
import { assertLineExists, countText } from '#shared/util/file-lines.ts'
import { splitsSurrogatePair, toLabel } from '../bounded-answer.ts'

/**
 * Returns the lines; the first one starts at `fromCharacter` (1-based, UTF-16), or one later inside a surrogate pair.
 * @param from number of the first line, 1-based @returns `character`: 1-based start; `length`: of the uncut first line
 * @throws AppError `input_invalid` if the line or the character does not exist
 */
export function linesFrom(
  path: string,
  { lines, total }: { readonly lines: readonly string[]; readonly total: number },
  from: number,
  fromCharacter = 1,
) {
  assertLineExists(toLabel(path), total, from)
  const [first, ...others] = lines
  if (first === undefined) return { lines: [], character: 1, length: 0 }
  if (fromCharacter > Math.max(1, first.length)) {
    const reason = `line ${from} of ${toLabel(path)} has ${countText(first.length, 'character')}`
    throw new AppError('input_invalid', reason, { reason })
  }
  const at = splitsSurrogatePair(first, fromCharacter - 1) ? fromCharacter : fromCharacter - 1
  return { lines: [first.slice(at), ...others], character: at + 1, length: first.length }
}
