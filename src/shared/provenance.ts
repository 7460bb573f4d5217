/**
 * Where a line comes from (M63). What a page of the web, a tool of another program, an attachment or another agent said
 * carries that where it is written down, as a small mark at its end, `^[web: example.org, 2026-11-22]`, or for a note as a
 * whole in its front matter, `source: "web: example.org, 2026-11-22"`. Text without one is the user's, or the agent's own.
 * Pure.
 */

/** Kinds of places that are trusted less than the user. */
export const sourceKinds = ['web', 'mcp', 'file', 'agent', 'import'] as const
export type SourceKind = (typeof sourceKinds)[number]

export interface Source {
  readonly kind: SourceKind
  /** A host, a server of tools, a file, an agent. */
  readonly name: string
}

const kinds = sourceKinds.join('|')
const mark = new RegExp(`\\^\\[\\s*(${kinds}):\\s*([^\\]\\n,]{1,100})[^\\]\\n]{0,200}\\]`, 'giu')
const property = new RegExp(`^source:[ \\t]*["']?(${kinds}):[ \\t]*([^"'\\n,]{1,100})`, 'im')
const maxName = 60

/** As it stands in a text: nothing in the name can end the mark, nor begin another. @param day `YYYY-MM-DD` */
export function sourceMark(sources: readonly Source[], day: string): string {
  return `^[${said(sources, day)}]`
}

function said(sources: readonly Source[], day: string): string {
  const [first, ...others] = sources
  if (!first) return day
  const more = others.length > 0 ? ` and ${others.length} more` : ''
  return `${sourceName(first)}${more}, ${day}`
}

/** `web: example.org` */
export function sourceName({ kind, name }: Source): string {
  const plain = name
    .normalize('NFKC')
    .replaceAll(/[^\p{L}\p{N}._@/ -]+/gu, ' ')
    .replace(/^www\./i, '')
    .replaceAll(/\s+/g, ' ')
    .trim()
  return `${kind}: ${[...plain].slice(0, maxName).join('') || 'unnamed'}`
}

/** Where a note's front matter says that all of it comes from, or its marks say that lines do; each once. */
export function sourcesIn(text: string): Source[] {
  if (!text.includes('^[') && !/^source:/im.test(text)) return []
  const found = new Map<string, Source>()
  const add = (kind = '', name = '') => {
    const known = sourceKinds.find((one) => one === kind.toLowerCase())
    if (known) found.set(`${known}: ${name.trim()}`, { kind: known, name: name.trim() })
  }
  const matter = /^\uFEFF?---\r?\n([\s\S]*?)\r?\n(?:---|\.\.\.)/.exec(text)?.[1]
  if (matter !== undefined) {
    const [, kind, name] = property.exec(matter) ?? []
    add(kind, name)
  }
  for (const [, kind, name] of text.matchAll(mark)) add(kind, name)
  return [...found.values()]
}

export function hasSourceMark(line: string): boolean {
  return line.includes('^[') && sourcesIn(line).length > 0
}

/** The text, said to come from there as a whole. */
export function withSource(text: string, sources: readonly Source[], day: string): string {
  const line = `source: "${said(sources, day)}"`
  const end = text.includes('\r\n') ? '\r\n' : '\n'
  const begun = /^(\uFEFF?---\r?\n)/.exec(text)?.[1]
  if (begun !== undefined && /\r?\n(?:---|\.\.\.)[ \t]*(?:\r?\n|$)/.test(text.slice(begun.length - 1)))
    return `${begun}${line}${end}${text.slice(begun.length).replace(/^source:[^\n]*\r?\n/m, '')}`
  return ['---', line, '---', '', text].join(end)
}

/** Words that decide nothing about what a line says. */
const small = new Set(
  'a an and are as at be by for from has have i in is it its me my of on or our that the their this to was we were will with you your remember note 的 了 是 我 在 和 有 请 记住'.split(
    ' ',
  ),
)
const words = new Intl.Segmenter(undefined, { granularity: 'word' })

function wordsOf(text: string): string[] {
  const plain = text.normalize('NFKC').toLowerCase()
  return [...words.segment(plain)].flatMap(({ segment, isWordLike }) => (isWordLike ? [segment] : []))
}

/** True where everything that a line says stands in the user's own words: then it is theirs, wherever else it stands. */
export function isOwnWords(line: string, own: string): boolean {
  // Signs that nobody sees are nobody's words.
  if (/[\p{Cf}\p{Co}\p{Cn}]/u.test(line)) return false
  const known = new Set(wordsOf(own))
  const telling = wordsOf(line.replace(/^\s*#{1,6}\s+\d{1,2}:\d{2}\b/, '')).filter((word) => !small.has(word))
  return telling.length > 0 && telling.every((word) => known.has(word))
}
