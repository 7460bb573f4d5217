/** The few tags without meaning of their own that notes are written with; all other HTML stays the text that it is. Pure. */
import { elementNode, textNode, type MarkdownNode } from './mdast.ts'

const plain = new Set(['kbd', 'sub', 'sup', 'u', 'mark', 'b', 'i', 'em', 'strong', 's', 'del', 'ins', 'small', 'code'])

/** `<kbd>x</kbd>` and the like where both ends stand in one line of content; `<br>` ends a line. Attributes are dropped. */
export function withTags(nodes: readonly MarkdownNode[]): MarkdownNode[] {
  if (!nodes.some(({ type }) => type === 'html')) return [...nodes]
  const open: { readonly name: string; readonly at: number; readonly written: string }[] = []
  const result: MarkdownNode[] = []
  const giveUp = ({ at, written }: (typeof open)[number]) => result.splice(at, 0, textNode(written))
  for (const node of nodes) {
    if (node.type !== 'html') {
      result.push(node)
      continue
    }
    const written = node.value ?? ''
    if (/^<br\s*\/?>$/i.test(written)) result.push({ type: 'break' })
    else if (/^<(?:img)\b/i.test(written)) result.push(imageOf(written))
    else {
      const [, slash, tag = ''] = /^<(\/?)([a-z]+)(?:\s[^<>]*)?>$/i.exec(written) ?? []
      const name = tag.toLowerCase()
      if (!plain.has(name)) result.push(node)
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
        result.push(elementNode(name, {}, result.splice(begun.at)))
      }
    }
  }
  for (const lost of open.reverse()) giveUp(lost)
  return result
}

/** A picture that is written as a tag is one like others: what it may load is decided elsewhere. */
export function imageOf(tag: string): MarkdownNode {
  const attribute = (name: string) =>
    new RegExp(`\\s${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)'|([^\\s>"']+))`, 'i').exec(tag)?.slice(1).find(Boolean)
  const width = /^\d+$/.exec(attribute('width') ?? '')?.[0]
  const alt = attribute('alt') ?? ''
  return { type: 'image', url: attribute('src') ?? '', alt: width === undefined ? alt : `${alt}|${width}` }
}
