/**
 * Converts the formulas that models write (`\(…\)`, `\[…\]`, `$$…$$`, and `$…$` unless it may be money) to
 * `$$…$$`, the only form that the renderer reads. Code stays unchanged.
 */
import { scanBlocks } from '#shared/markdown/blocks/scan-blocks.ts'
import { hiddenRanges } from '#shared/markdown/links/hidden-text.ts'

/** No space inside the dollar signs and no digit after them: "$5 and $10" has no formula. */
const singleDollarFormula = /(?<![\\$\w])\$(?![\s$])([^$\n]*?[^\s\\$])\$(?![\d$])/g

/** A quick check, so that most texts skip `normalizeMath`. */
export function mayHaveMath(text: string): boolean {
  return text.includes('$') || text.includes('\\(') || text.includes('\\[')
}

export function normalizeMath(text: string): string {
  return mapOutsideCode(text, (part) => {
    const inline = replacePairs(part, '\\(', '\\)', (formula) => `$$${formula.trim()}$$`)
    const display = replacePairs(inline, '\\[', '\\]', (formula) => `\n$$\n${formula.trim()}\n$$\n`)
    return doubleDollars(display)
  })
}

/** Converts `$x$` only. */
export function normalizeDollars(text: string): string {
  return mapOutsideCode(text, doubleDollars)
}

/** Applies `change` to the text outside of code and comments. */
function mapOutsideCode(text: string, change: (part: string) => string): string {
  let result = ''
  let position = 0
  for (const { from, to } of hiddenRanges(text, scanBlocks(text.split('\n'), { isPart: true }))) {
    result += change(text.slice(position, from)) + text.slice(from, to)
    position = to
  }
  return result + change(text.slice(position))
}

/** @param normalized text from `normalizeMath` */
export function hasMath(normalized: string): boolean {
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

/**
 * Limits for the formulas of one block: characters in all, characters if the formula defines commands, and
 * nested braces.
 */
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
