/** Picks the lines of passages that best fit a question, by the words they share with it. Pure. */

export interface Passage {
  readonly path: string
  /** 1-based line of `lines[0]`. */
  readonly from: number
  readonly lines: readonly string[]
}

export interface QuotedLine {
  readonly path: string
  /** 1-based. */
  readonly line: number
  readonly text: string
}

/** A later passage must fit this much better than an earlier one to be quoted before it. */
const rankDiscount = 0.85

export function bestLines(question: string, passages: readonly Passage[], most: number): QuotedLine[] {
  const wanted = new Set(units(question))
  const scored: (QuotedLine & { score: number })[] = []
  for (const [rank, { path, from, lines }] of passages.entries()) {
    for (const [index, raw] of lines.entries()) {
      const text = raw.replace(/^\s*(?:[-*+>]|\d+[.)])\s+/, '').trim()
      if (text === '' || /^#{1,6}\s/.test(text)) continue
      const found = new Set(units(text).filter((unit) => wanted.has(unit)))
      if (found.size === 0) continue
      const score = (found.size - text.length / 2000) * rankDiscount ** rank
      scored.push({ path, line: from + index, text, score })
    }
  }
  scored.sort((one, other) => other.score - one.score)
  const threshold = (scored[0]?.score ?? 0) * 0.6
  const seen = new Set<string>()
  const picked: QuotedLine[] = []
  for (const { path, line, text, score } of scored) {
    if (picked.length >= most || score < threshold) break
    if (seen.has(text)) continue
    seen.add(text)
    picked.push({ path, line, text })
  }
  if (picked.length > 0) return picked
  const [first] = passages
  const index = first?.lines.findIndex((line) => line.trim() !== '' && !line.startsWith('#')) ?? -1
  return first && index >= 0
    ? [{ path: first.path, line: first.from + index, text: (first.lines[index] ?? '').trim() }]
    : []
}

const functionWords = new Set(
  'the a an of to in on at is are was were be been do did does have has had i you we they he she it my your our what which who when where why how and or for with about that this'.split(
    ' ',
  ),
)

/** Word beginnings in Latin script, pairs of characters in CJK: crude, but it only chooses among lines already found. */
function units(text: string): string[] {
  const found: string[] = []
  for (const [word] of text.toLowerCase().matchAll(/[\p{L}\p{N}]+/gu)) {
    if (/\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}|\p{Script=Hangul}/u.test(word)) {
      const letters = [...word]
      if (letters.length === 1) found.push(word)
      for (let index = 0; index + 1 < letters.length; index += 1) found.push(`${letters[index]}${letters[index + 1]}`)
    } else if (!functionWords.has(word)) found.push(word.slice(0, 5))
  }
  return found
}
