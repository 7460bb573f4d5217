/**
 * Formulas as notes have them: `$x$` and `$$x$$`, in the one form that the renderer reads. `\[` is a bracket here, not a
 * formula as in answers. Pure.
 */
import { fenceClosingOf } from '../chat/block-split.ts'
import { normalizeDollars } from '../chat/math.ts'

/** Behind a quote or in an item, too. */
const opening = /^([\t ]*(?:>[\t ]?)*[\t ]*(?:(?:[-*+]|\d{1,9}[.)])[\t ]+)?)\$\$(.*)$/

/** @returns the text, of more lines where a formula got some */
export function normalizeFormulas(text: string): string {
  return text.includes('$') ? normalizeDollars(text.includes('$$') ? withOwnLines(text) : text) : text
}

/** `$$a` … `b$$` over several lines: the signs get lines of their own, else what is behind the first would be lost. */
function withOwnLines(text: string): string {
  const result: string[] = []
  let closes: ((line: string) => boolean) | undefined
  let indent: string | undefined
  for (const line of text.split('\n')) {
    if (closes?.(line)) {
      if (indent === undefined) result.push(line)
      else result.push(line.trimEnd().slice(0, -2), `${indent}$$`)
      closes = undefined
      indent = undefined
      continue
    }
    const [, before = '', first = '$$'] = (!closes && opening.exec(line)) || []
    if (closes || first.includes('$$')) {
      result.push(line)
      closes ??= fenceClosingOf(line)
      continue
    }
    closes = (later) => later.trimEnd().endsWith('$$')
    if (first.trim() === '') result.push(line)
    else {
      indent = before.replaceAll(/[^\s>]/g, ' ')
      result.push(`${before}$$`, indent + first)
    }
  }
  // What nothing ends is no formula.
  return indent === undefined ? result.join('\n') : text
}
