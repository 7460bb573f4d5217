import { hiddenRanges } from '#shared/markdown/links/hidden-text.ts'

export interface InlineFootnote {
  readonly text: string
  /** 1-based. */
  readonly line: number
}

/** Longer ones are text. */
const maxNote = 2000
/** Marks of who may see a line and where it comes from are written so, too. */
const mark = /^[ \t]*(?:local[ \t]*\]|(?:web|mcp|file|agent|import):)/i
const formulas = /\$\$[^$]*\$\$|(?<![\\$\w])\$(?![\s$])[^$\n]*[^\s\\$]\$(?![\d$])/g

/** Puts a reference in their place, of a label that no other footnote has; every line keeps its number. */
export function takeInlineFootnotes(text: string): { text: string; notes: Map<string, InlineFootnote> } {
  const notes = new Map<string, InlineFootnote>()
  if (!text.includes('^[')) return { text, notes }
  const hidden = [...hiddenRanges(text)]
  for (const { index, 0: formula } of text.matchAll(formulas)) hidden.push({ from: index, to: index + formula.length })
  hidden.sort((one, other) => one.from - other.from)
  const parts: string[] = []
  let from = 0
  let line = 1
  let counted = 0
  let next = 0
  for (let at = text.indexOf('^['); at >= 0; at = text.indexOf('^[', Math.max(at + 2, from))) {
    while ((hidden[next]?.to ?? Infinity) <= at) next += 1
    if ((hidden[next]?.from ?? Infinity) <= at || text[at - 1] === '\\') continue
    const end = endOf(text, at + 2)
    const said = end === undefined ? '' : text.slice(at + 2, end)
    if (end === undefined || said.trim() === '' || mark.test(`${said}]`)) continue
    for (; counted < at; counted += 1) if (text[counted] === '\n') line += 1
    const label = `^${notes.size + 1}`
    notes.set(label, { text: said.trim(), line })
    parts.push(text.slice(from, at), `[^${label}]`)
    from = end + 1
  }
  return { text: parts.join('') + text.slice(from), notes }
}

/** The bracket that closes what is open, in the same line. */
function endOf(text: string, from: number): number | undefined {
  let depth = 1
  for (let at = from; at < text.length && at < from + maxNote; at += 1) {
    const sign = text[at]
    if (sign === '\n') return undefined
    if (sign === '\\') at += 1
    else if (sign === '[') depth += 1
    else if (sign === ']' && (depth -= 1) === 0) return at
  }
  return undefined
}
