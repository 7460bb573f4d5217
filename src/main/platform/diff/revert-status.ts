/**
 * Whether a change still stands in a text, hunk by hunk. The text alone decides: a hunk stands where it can be taken
 * back, and is undone where what was there before it stands again. Pure.
 */
import { applyPatch, parsePatch, reversePatch, type StructuredPatch, type StructuredPatchHunk } from 'diff'
import { splitLines } from './lines.ts'

/** `there`: it can be taken back; `undone`: what was before it stands again; `changed`: neither. */
export type Standing = 'there' | 'undone' | 'changed'

/** Lines shown around a change. */
export const context = 2
/** Lines around a change that may be others by now. */
export const fuzz = 2

/** @returns one a hunk, in their order */
export function standingsOf(text: string, patch: string): Standing[] {
  const [parsed] = parsePatch(patch)
  if (!parsed) return []
  const lines = splitLines(text)
  return parsed.hunks.map((hunk) => standingOf(text, lines, { ...parsed, hunks: [hunk] }, hunk))
}

function standingOf(
  text: string,
  lines: readonly string[],
  patch: StructuredPatch,
  hunk: StructuredPatchHunk,
): Standing {
  const [olds, news] = [sideOf(hunk, '-'), sideOf(hunk, '+')]
  const isLast = reachesEnd(hunk)
  if (standsAt(lines, hunk.newStart, news, isLast)) return 'there'
  if (standsAt(lines, hunk.oldStart, olds, isLast)) return 'undone'
  const reversed = reversePatch(patch)
  const isBack = applyPatch(text, reversed) !== false
  const again = applyPatch(text, patch)
  // At the end of a file one side is the beginning of the other, and both are found: the longer one is what is there.
  if (isBack && again !== false) return news.length >= olds.length ? 'there' : 'undone'
  if (isBack) return 'there'
  // Where nothing follows a change, what stands there now may be the changed lines changed again.
  if (again !== false && (endsInContext(hunk) || again.endsWith(news.join('')))) return 'undone'
  return applyPatch(text, reversed, { fuzzFactor: fuzz }) === false ? 'changed' : 'there'
}

/** @param start 1-based */
function standsAt(lines: readonly string[], start: number, side: readonly string[], isLast: boolean): boolean {
  const from = start - 1
  return (!isLast || from + side.length === lines.length) && side.every((line, place) => lines[from + place] === line)
}

function sideOf({ lines }: StructuredPatchHunk, sign: '-' | '+'): string[] {
  return lines.flatMap((line, place) => {
    if (!line.startsWith(' ') && !line.startsWith(sign)) return []
    return [`${line.slice(1)}${lines[place + 1]?.startsWith('\\') ? '' : '\n'}`]
  })
}

function reachesEnd({ lines }: StructuredPatchHunk): boolean {
  const shown = lines.filter((line) => !line.startsWith('\\'))
  return shown.slice(-context).some((line) => !line.startsWith(' ')) || shown.length < context
}

function endsInContext({ lines }: StructuredPatchHunk): boolean {
  return lines.findLast((line) => !line.startsWith('\\'))?.startsWith(' ') === true
}
