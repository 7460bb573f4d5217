/**
 * Converts the formulas of notes (`$x$` and `$$x$$`) to the form that the renderer reads. Unlike in answers,
 * `\[` is an escaped bracket here.
 */
import { fenceClosingTest } from '../chat/block-split.ts'
import { normalizeDollars } from '../chat/math.ts'

/** Also inside a quote or list item. */
const opening = /^([\t ]*(?:>[\t ]?)*[\t ]*(?:(?:[-*+]|\d{1,9}[.)])[\t ]+)?)\$\$(.*)$/

/** Returns the text; it has more lines if a `$$` was moved to a separate line. */
export function normalizeFormulas(text: string): string {
  return text.includes('$') ? normalizeDollars(text.includes('$$') ? withOwnLines(text) : text) : text
}

/** Moves each `$$` of a multi-line formula to a separate line: the renderer drops text after the opening `$$`. */
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
      closes ??= fenceClosingTest(line)
      continue
    }
    closes = (later) => later.trimEnd().endsWith('$$')
    if (first.trim() === '') result.push(line)
    else {
      indent = before.replaceAll(/[^\s>]/g, ' ')
      result.push(`${before}$$`, indent + first)
    }
  }
  // An unclosed `$$` is not a formula.
  return indent === undefined ? result.join('\n') : text
}
