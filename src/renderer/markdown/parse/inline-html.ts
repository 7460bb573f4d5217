/** The tags that notes are written with, as far as they only show; all other HTML stays the text that it is. Pure. */
import { attachmentKind } from '#shared/util/attachments.ts'
import { elementNode, textNode, type MarkdownNode } from './mdast.ts'

const shown: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    'kbd sub sup u mark b i em strong s del ins small code span a abbr cite q var samp dfn ruby rt rp'
      .split(' ')
      .map((name) => [name, name]),
  ),
  big: 'span',
  button: 'span',
  font: 'span',
  label: 'span',
  nobr: 'span',
  strike: 's',
  time: 'span',
  tt: 'code',
}

/** What an element within a line is drawn as; undefined for one that is not shown. */
export function shownAs(name: string): string | undefined {
  return Object.hasOwn(shown, name) ? shown[name] : undefined
}

/** `<kbd>x</kbd>` and the like where both ends stand in one line of content; `<br>` ends a line. Attributes are dropped. */
export function withTags(content: readonly MarkdownNode[]): MarkdownNode[] {
  const nodes = content.map((node) => (node.children ? { ...node, children: withTags(node.children) } : node))
  if (!nodes.some(({ type }) => type === 'html')) return nodes
  const open: { readonly name: string; readonly at: number; readonly written: string }[] = []
  const result: MarkdownNode[] = []
  const giveUp = ({ at, written }: (typeof open)[number]) => result.splice(at, 0, textNode(written))
  for (const node of nodes) {
    if (node.type !== 'html') {
      result.push(node)
      continue
    }
    const written = node.value ?? ''
    const [, slash = '', tag = ''] = /^<(\/?)([a-z]+\d?)(?=[\s/>])/i.exec(written) ?? []
    const name = tag.toLowerCase()
    const media = mediaOf(name, written)
    if (name === 'br') result.push({ type: 'break' })
    else if (name === 'img') result.push(imageOf(written))
    else if (media) {
      if (slash === '') result.push(media)
    } else if (shownAs(name) === undefined) result.push(node)
    else if (slash === '') open.push({ name, at: result.length, written })
    else {
      const at = open.findLastIndex((one) => one.name === name)
      const begun = open[at]
      if (!begun) {
        result.push(textNode(written))
        continue
      }
      for (const lost of open.splice(at + 1).reverse()) giveUp(lost)
      open.pop()
      result.push(inlineNode(name, begun.written, result.splice(begun.at)))
    }
  }
  for (const lost of open.reverse()) giveUp(lost)
  return result
}

/** An element within a line; a link leads where its tag says. */
export function inlineNode(name: string, tag: string, children: MarkdownNode[]): MarkdownNode {
  if (name === 'a') return { type: 'link', url: attributeOf(tag, 'href'), children }
  // Not by its own name: `code` is called what Markdown calls something else.
  return { ...elementNode(shownAs(name) ?? name, {}, children), type: 'html-element' }
}

/** A picture that is written as a tag is one like others: what it may load is decided elsewhere. */
export function imageOf(tag: string): MarkdownNode {
  const width = /^(\d+)(?:px)?;?$/.exec(attributeOf(tag, 'width'))?.[1]
  const alt = attributeOf(tag, 'alt')
  return { type: 'image', url: attributeOf(tag, 'src'), alt: width === undefined ? alt : `${alt}|${width}` }
}

/** Pages, films and sound of elsewhere are named, never loaded; files of the workspace are shown as embeds are. */
export function mediaOf(name: string, tag: string): MarkdownNode | undefined {
  if (!/^(?:iframe|video|audio|source)$/.test(name)) return undefined
  const address = attributeOf(tag, 'src')
  const title = attributeOf(tag, 'title')
  if (/^https?:/i.test(address)) return elementNode('web-page', { dataAddress: address, dataLabel: title || undefined })
  if (attachmentKind(address) !== undefined) return { type: 'image', url: address, alt: title }
  return name === 'iframe' ? elementNode('quiet-macro', { dataText: tag }) : textNode('')
}

function attributeOf(tag: string, name: string): string {
  const [, ...values] = new RegExp(`\\s${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)'|([^\\s>"']+))`, 'i').exec(tag) ?? []
  return textOfHtml(values.find(Boolean) ?? '')
}

const named: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: '\u00A0',
  copy: '©',
  reg: '®',
  hellip: '…',
  mdash: '—',
  ndash: '–',
  laquo: '«',
  raquo: '»',
  larr: '←',
  rarr: '→',
  middot: '·',
  bull: '•',
  times: '×',
}

/** Signs that are written by their names or numbers. */
export function textOfHtml(raw: string): string {
  return raw.replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]+\d?));/gi, (whole, number, hex, name) => {
    if (name !== undefined) return Object.hasOwn(named, name) ? (named[name] ?? whole) : whole
    const code = number === undefined ? Number.parseInt(hex, 16) : Number(number)
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : whole
  })
}
