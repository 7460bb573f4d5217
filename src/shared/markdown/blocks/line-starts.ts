/**
 * Parsers for the start of a single line. `rest` is the line from its first non-blank character on. Sections (§) refer
 * to CommonMark 0.31.
 */

export interface FenceStart {
  readonly marker: string
  readonly info: string
}

export interface HeadingStart {
  /** 1 to 6. */
  readonly level: number
  readonly title: string
}

/** Parses an opening code fence (§4.5). @returns undefined if there is none */
export function fenceAt(rest: string): FenceStart | undefined {
  const marker = /^(?:`{3,}(?=[^`]*$)|~{3,})/.exec(rest)?.[0]
  return marker === undefined ? undefined : { marker, info: rest.slice(marker.length).trim() }
}

/** Parses an opening fence at any indentation, also in a list item. */
export function looseFenceAt(line: string): FenceStart | undefined {
  return fenceAt(line.trimStart().replace(/^(?:[-*+]|\d{1,9}[.)])\s+/, ''))
}

/** Returns true if the line closes the fence: at least as many markers, and no other text. */
export function closesFence(rest: string, marker: string): boolean {
  if (!rest.startsWith(marker)) return false
  let end = marker.length
  while (rest[end] === marker[0]) end += 1
  return rest.slice(end).trim() === ''
}

/** Parses an ATX heading (§4.2). @returns undefined if there is none */
export function headingAt(rest: string): HeadingStart | undefined {
  const level = /^#{1,6}(?=[\t ]|$)/.exec(rest)?.[0].length
  if (level === undefined) return undefined
  const text = withoutBlanks(rest.slice(level))
  let end = text.length
  while (text[end - 1] === '#') end -= 1
  const isClosed = end === 0 || text[end - 1] === ' ' || text[end - 1] === '\t'
  return { level, title: isClosed ? withoutBlanks(text.slice(0, end)) : text }
}

/** Returns the level of a setext underline (§4.3); 0 for any other line. */
export function underlineAt(rest: string): 0 | 1 | 2 {
  if (!/^(?:=+|-+)[\t ]*$/.test(rest)) return 0
  return rest.startsWith('=') ? 1 : 2
}

/** Trims spaces and tabs without a regular expression, which would take quadratic time on long runs of spaces. */
function withoutBlanks(text: string): string {
  let start = 0
  let end = text.length
  while (text[start] === ' ' || text[start] === '\t') start += 1
  while (end > start && (text[end - 1] === ' ' || text[end - 1] === '\t')) end -= 1
  return text.slice(start, end)
}

/** Parses the markers before the words of a line: indentation, `>`, list marker, task box, `#`. */
export function leadOf(line: string) {
  const [lead = '', outer, marker, box, inner] =
    /^\s*(?:(?:>\s*)+|(#{1,6})\s+)?((?:[-*+]|\d{1,9}[.)])\s+)?(?:\[([^\]])\]\s+)?(?:(#{1,6})\s+)?/.exec(line) ?? []
  return { length: lead.length, level: (outer ?? inner)?.length ?? 0, box, isItem: marker !== undefined }
}

export function withoutLead(line: string): string {
  return line.slice(leadOf(line).length)
}

export function opensMath(rest: string): boolean {
  return rest.startsWith('$$') && !rest.includes('$$', 2)
}

export function closesMath(rest: string): boolean {
  return rest.trimEnd().endsWith('$$')
}

/** HTML block starts and their ends (§4.6); without `ends`, a blank line ends the block. */
const rawElements = 'script|pre|style|textarea'
const blockElements =
  'address|article|aside|base|basefont|blockquote|body|caption|center|col|colgroup|dd|details|dialog|dir|div|dl|dt|fieldset|figcaption|figure|footer|form|frame|frameset|h[1-6]|head|header|hr|html|iframe|legend|li|link|main|menu|menuitem|nav|noframes|ol|optgroup|option|p|param|search|section|summary|table|tbody|td|tfoot|th|thead|title|tr|track|ul'
const htmlBlocks: readonly { readonly opens: RegExp; readonly ends?: RegExp }[] = [
  {
    opens: new RegExp(String.raw`^<(?:${rawElements})(?=[\t >]|$)`, 'i'),
    ends: new RegExp(`</(?:${rawElements})>`, 'i'),
  },
  { opens: /^<!--/, ends: /-->/ },
  { opens: /^<\?/, ends: /\?>/ },
  { opens: /^<![a-z]/i, ends: />/ },
  { opens: /^<!\[CDATA\[/, ends: /\]\]>/ },
  { opens: new RegExp(String.raw`^</?(?:${blockElements})(?=[\t >]|/>|$)`, 'i') },
]
const attribute = String.raw`[\t ]+[a-z_:][\w.:-]*(?:[\t ]*=[\t ]*(?:[^\s"'=<>\x60]+|'[^']*'|"[^"]*"))?`
/** Any other tag alone on its line; it cannot interrupt a paragraph. */
const loneTag = new RegExp(String.raw`^<(?:[a-z][a-z\d-]*(?:${attribute})*[\t ]*/?|/[a-z][a-z\d-]*[\t ]*)>[\t ]*$`, 'i')

/** @returns the pattern that ends the block, `blank` for a blank line; undefined if the line opens none */
export function htmlEndAt(rest: string, isInParagraph: boolean): RegExp | 'blank' | undefined {
  const html = htmlBlocks.find(({ opens }) => opens.test(rest))
  if (html) return html.ends ?? 'blank'
  return !isInParagraph && loneTag.test(rest) ? 'blank' : undefined
}
