/**
 * Converts the formulas of notes (`$x$` and `$$x$$`) to the form that the renderer reads. Unlike in answers,
 * `\[` is an escaped bracket here.
 */
import { fenceClosingTest } from '../chat/block-split.ts'
import { normalizeDollars } from '../chat/math.ts'

/** An opening `$$`, also in a quote or list item. */
const openingPattern = /^([\t ]*(?:>[\t ]?)*[\t ]*(?:(?:[-*+]|\d{1,9}[.)])[\t ]+)?)\$\$(.*)$/

/** The result has more lines than the text if a `$$` moves to a separate line. */
export function normalizeFormulas(text: string): string {
  return text.includes('$') ? normalizeDollars(text.includes('$$') ? separateDelimiters(text) : text) : text
}

/** Moves each `$$` of a multi-line formula to a separate line: the renderer drops text after the opening `$$`. */
function separateDelimiters(text: string): string {
  const result: string[] = []
  let isClosingLine: ((line: string) => boolean) | undefined
  let indent: string | undefined
  for (const line of text.split('\n')) {
    if (isClosingLine?.(line)) {
      if (indent === undefined) result.push(line)
      else result.push(line.trimEnd().slice(0, -2), `${indent}$$`)
      isClosingLine = undefined
      indent = undefined
      continue
    }
    const [, prefix = '', firstLine = '$$'] = (!isClosingLine && openingPattern.exec(line)) || []
    if (isClosingLine || firstLine.includes('$$')) {
      result.push(line)
      isClosingLine ??= fenceClosingTest(line)
      continue
    }
    isClosingLine = (nextLine) => nextLine.trimEnd().endsWith('$$')
    if (firstLine.trim() === '') result.push(line)
    else {
      indent = prefix.replaceAll(/[^\s>]/g, ' ')
      result.push(`${prefix}$$`, indent + firstLine)
    }
  }
  // An unclosed `$$` is not a formula.
  return indent === undefined ? result.join('\n') : text
}
