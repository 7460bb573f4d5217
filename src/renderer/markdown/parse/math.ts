/** Converts formulas to `$$…$$`, the only form that the renderer reads. Code stays unchanged. */
import { scanBlocks } from '#shared/markdown/blocks/scan-blocks.ts'
import { hiddenRanges } from '#shared/markdown/links/hidden-text.ts'
import { fenceClosingTest } from './split-blocks.ts'

/** No space inside the dollar signs and no digit after them: "$5 and $10" has no formula. */
const singleDollarFormula = /(?<![\\$\w])\$(?![\s$])([^$\n]*?[^\s\\$])\$(?![\d$])/g

/** Converts the formulas that models write: `\(…\)`, `\[…\]`, `$$…$$`, and `$…$` unless it may be money. */
export function normalizeMath(text: string): string {
  if (!/\$|\\[([]/.test(text)) return text
  return mapOutsideCode(text, (part) => {
    const inline = replacePairs(part, '\\(', '\\)', (formula) => `$$${formula.trim()}$$`)
    const display = replacePairs(inline, '\\[', '\\]', (formula) => `\n$$\n${formula.trim()}\n$$\n`)
    return doubleDollars(display)
  })
}

/**
 * Converts the formulas of notes, `$x$` and `$$x$$`: unlike in answers, `\[` is an escaped bracket.
 * The result has more lines than the text if a `$$` moves to a separate line.
 */
export function normalizeFormulas(text: string): string {
  if (!text.includes('$')) return text
  return mapOutsideCode(text.includes('$$') ? separateDelimiters(text) : text, doubleDollars)
}

function mapOutsideCode(text: string, change: (part: string) => string): string {
  let result = ''
  let position = 0
  for (const { from, to } of hiddenRanges(text, scanBlocks(text.split('\n'), { isPart: true }))) {
    result += change(text.slice(position, from)) + text.slice(from, to)
    position = to
  }
  return result + change(text.slice(position))
}

export function hasMath(normalized: string): boolean {
  if (!normalized.includes('$$')) return false
  let hasFormula = false
  mapOutsideCode(normalized, (part) => {
    hasFormula ||= /\$\$[\s\S]+?\$\$/.test(part)
    return part
  })
  return hasFormula
}

function doubleDollars(text: string): string {
  return text.replace(singleDollarFormula, (_match, formula: string) => `$$${formula}$$`)
}

/** Uses `indexOf`: without a closing part, a regular expression would search the rest for each opening. */
function replacePairs(text: string, open: string, close: string, replacement: (inner: string) => string): string {
  let result = ''
  let from = 0
  for (;;) {
    const start = text.indexOf(open, from)
    const end = start < 0 ? -1 : text.indexOf(close, start + open.length + 1)
    if (end < 0) return result + text.slice(from)
    result += text.slice(from, start) + replacement(text.slice(start + open.length, end))
    from = end + close.length
  }
}

const maxFormulaLength = 2000
const maxDefinitionLength = 300
const maxBraceDepth = 40
const commandDefinition = /\\(?:[egx]?def|let|futurelet|(?:re|provide)?(?:new)?command)/

/**
 * Returns true if KaTeX can render the formulas of a block within a frame. Command definitions expand, and
 * braces and chained commands nest; formulas over the limits are shown as source.
 */
export function isCheapMath(normalized: string): boolean {
  const formulas = normalized.split('$$').filter((_part, index) => index % 2 === 1)
  const characters = formulas.reduce((sum, formula) => sum + formula.length, 0)
  if (characters > maxFormulaLength) return false
  return formulas.every((formula) => {
    if (formula.length > maxDefinitionLength && commandDefinition.test(formula)) return false
    if (/(?:\\[A-Za-z]+\s*){40}/.test(formula)) return false
    let depth = 0
    for (const character of formula) {
      if (character === '{') depth += 1
      if (character === '}') depth -= 1
      if (depth > maxBraceDepth) return false
    }
    return true
  })
}

/** An opening `$$`, also in a quote or list item. */
const openingPattern = /^([\t ]*(?:>[\t ]?)*[\t ]*(?:(?:[-*+]|\d{1,9}[.)])[\t ]+)?)\$\$(.*)$/

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
