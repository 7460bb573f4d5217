/**
 * Where a word of a Markdown text is no word of its prose, so that no link can be made of it: what is hidden, links of
 * all kinds with their texts, addresses, tags, formulas, HTML, labels and ids. Linear. Pure.
 */
import { frontMatterEnd } from '../blocks/front-matter.ts'
import { hiddenRanges, merged, type Range } from './hidden-text.ts'
import { destinationIn, parseLinks } from './parse-links.ts'

/** Stands for a character of what is hidden or escaped: no letter, no space, no sign of Markdown. */
const mask = '\uFFFC'
/** Of one label; what is longer is none. */
const maxLabel = 999

const addressEnd = '[^\\s<>，。、；：！？（）「」『』【】《》“”]'
const name = '[\\p{L}\\p{N}_-]'
const letter = '[\\p{L}\\p{M}\\p{N}\\p{Extended_Pictographic}\\p{Emoji_Modifier}\\uFE0F\\u200D_/-]'

/** Each begins where nothing of its kind goes on, and ends at once where it cannot be: none looks at a text twice. */
const patterns: readonly RegExp[] = [
  // `https://…`, also in `<…>`; `mailto:…`; `www.…`
  new RegExp(`(?<![a-z\\d+.-])[a-z][a-z\\d+.-]{0,30}:\\/\\/${addressEnd}*`, 'giu'),
  new RegExp(`(?<!${name})(?:mailto:|tel:|data:|file:|www\\.)${addressEnd}+`, 'giu'),
  // `example.org/page`, `/a/path`, `./a/path`
  new RegExp(`(?<![\\p{L}\\p{N}_.-])${name}{1,63}(?:\\.${name}{1,63})+\\/${addressEnd}*`, 'giu'),
  new RegExp(`(?<=^|[\\s("'])(?:\\.{1,2}|~)?\\/${addressEnd}+`, 'gmu'),
  // `user@example.org`, `@user`
  new RegExp(`(?:(?<![\\p{L}\\p{N}._%+-])[\\p{L}\\p{N}._%+-]{1,64})?@[\\p{L}\\p{N}._-]+`, 'gu'),
  new RegExp(`#${letter}+`, 'gu'),
  // Formulas: sums of money are none.
  /\$\$[^$]*(?:\$(?!\$)[^$]*)*\$\$/g,
  /(?<!\$)\$(?![\s$])(?:[^$\n]|\n(?![\t ]*\r?\n))*(?<!\s)\$(?![\d$])/g,
  // `[id]: address "title"`; of a footnote the label alone.
  /^[\t >]*\[(?!\^)[^[\]\n]{1,999}\]:[^\n]*/gm,
  /\[\^[^[\]\s]{1,999}\]/g,
  /(?<=^|\s)\^[A-Za-z\d-]+(?=[\t ]*\r?$)/gm,
  // What no note is named by, as `[[https://…]]`; macros; templates.
  /\[\[[^[\n]*?\]\]/g,
  /\{\{[^{\n]*?\}\}/g,
  // Names of properties, and values that are names themselves.
  /^[\t ]*(?:[-*+][\t ]+)?[\p{L}_][^\s:]*::/gmu,
  /^[\t ]*(?:[-*+][\t ]+)?(?:title|alias|aliases|tags?|id|template)::[^\n]*/gim,
  // Blocks of HTML, in which no Markdown is read: up to an empty line.
  /^ {0,3}<\/?(?:address|article|aside|blockquote|body|center|dd|details|dialog|dir|div|dl|dt|fieldset|figcaption|figure|footer|form|frame|h[1-6]|head|header|hr|html|iframe|legend|li|link|main|menu|nav|ol|optgroup|option|p|section|summary|table|tbody|td|tfoot|th|thead|title|tr|track|ul)(?=[\s/>])[^\n]*(?:\n(?![\t ]*\r?$)[^\n]*)*/gim,
]

const definition = /^[\t >]*\[(?!\^)([^[\]\n]{1,999})\]:/gm
const tag = /<(\/?)([a-z][a-z\d-]*)(?:\s(?:[^"'<>]|"[^"]{0,2000}"|'[^']{0,2000}')*)?\/?>/gi
/** Elements whose text is a link, or no prose; the latter go on over empty lines. */
const linking = /^(?:a|button|code|kbd|samp|tt|var)$/i
const raw = /^(?:iframe|math|pre|script|style|svg|textarea|title)$/i

/** In order, none overlapping the next. */
export function notProse(text: string): Range[] {
  const hidden = [{ from: 0, to: frontMatterEnd(text) }, ...hiddenRanges(text)]
  const seen = masked(text, hidden)
  const found = patterns.flatMap((pattern) =>
    [...seen.matchAll(pattern)].map(({ 0: whole, index }) => ({ from: index, to: index + whole.length })),
  )
  const links = parseLinks(text).links.map(({ from, to }) => ({ from, to }))
  return merged([...hidden, ...links, ...found, ...bracketed(seen), ...elements(seen)])
}

/**
 * Not beside what would make something else of a link (`[` and `]`, `!`, the signs of tags, ids and escapes), nor before
 * `.ending`, with which it is a file or an address.
 */
export function canStandBeside(text: string, from: number, to: number): boolean {
  if (/[[\]!#^@\\]/.test(text[from - 1] ?? '') || text[to] === ']') return false
  return !/^\.[a-z]{2,}(?![\p{L}\p{N}_])/iu.test(text.slice(to, to + 20))
}

function masked(text: string, ranges: readonly Range[]): string {
  const parts: string[] = []
  let at = 0
  for (const { from, to } of merged(ranges)) {
    parts.push(text.slice(at, from), text.slice(from, to).replaceAll(/[^\n]/g, mask))
    at = to
  }
  return (parts.join('') + text.slice(at)).replaceAll(/\\[!-/:-@[-`{-~]/g, mask + mask)
}

/** `[text](address)`, `[text][id]`, and `[id]` where something below says what it is. */
function bracketed(text: string): Range[] {
  const labels = new Set([...text.matchAll(definition)].map(([, label = '']) => labelKey(label)))
  const ranges: Range[] = []
  let open: number[] = []
  const signs = /[[\]]|\n[\t >]*\r?(?=\n)/g
  for (let sign = signs.exec(text); sign; sign = signs.exec(text)) {
    const { 0: mark, index: at } = sign
    if (mark === '[') open.push(at)
    else if (mark !== ']') open = []
    else {
      const from = open.pop()
      const to = from === undefined ? undefined : endOf(text, from, at, labels)
      if (from === undefined || to === undefined) continue
      ranges.push({ from, to })
      signs.lastIndex = to
    }
  }
  return ranges
}

/** @param at where `]` stands */
function endOf(text: string, from: number, at: number, labels: ReadonlySet<string>): number | undefined {
  const next = text[at + 1]
  if (next === '(') return destinationIn(text, at + 1)?.to
  if (next === '[') {
    const length = /^\[[^[\]\n]*\]/.exec(text.slice(at + 1, at + 3 + maxLabel))?.[0].length
    if (length !== undefined) return at + 1 + length
  }
  return labels.size > 0 && at - from <= maxLabel && labels.has(labelKey(text.slice(from + 1, at))) ? at + 1 : undefined
}

function labelKey(label: string): string {
  return label.trim().replaceAll(/\s+/g, ' ').toLowerCase()
}

function elements(text: string): Range[] {
  const ranges: Range[] = []
  /** Names of elements that end nowhere any more. */
  const unended = new Set<string>()
  tag.lastIndex = 0
  for (let found = tag.exec(text); found; found = tag.exec(text)) {
    const { 0: whole, 1: isEnd, 2: element = '', index: from } = found
    const after = from + whole.length
    const to = isEnd || whole.endsWith('/>') ? undefined : endOfElement(text, element.toLowerCase(), after, unended)
    ranges.push({ from, to: to ?? after })
    tag.lastIndex = to ?? after
  }
  return ranges
}

function endOfElement(text: string, element: string, after: number, unended: Set<string>): number | undefined {
  if ((!linking.test(element) && !raw.test(element)) || unended.has(element)) return undefined
  const ending = new RegExp(`</${element}(?=[\\s>])${raw.test(element) ? '' : '|\\n[\\t ]*\\r?\\n'}`, 'gi')
  ending.lastIndex = after
  const end = ending.exec(text)
  if (!end) unended.add(element)
  return end && !end[0].startsWith('\n') ? end.index : undefined
}
