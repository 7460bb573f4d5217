/** `> [!note]- Title`: a quote that is a callout, as Obsidian and GitHub have it. Pure. */
import { elementNode, textNode, type MarkdownNode } from './mdast.ts'

const head = /^\[!([\w-]{1,40})(?:\|[^\]\n]*)?\]([+-]?)[ \t]*/

/** @returns undefined for a quote that is only one */
export function calloutOf({ children = [] }: MarkdownNode): MarkdownNode | undefined {
  const [first, ...rest] = children
  const [start, ...line] = first?.type === 'paragraph' ? (first.children ?? []) : []
  const [mark, kind, fold] = (start?.type === 'text' && head.exec(start.value ?? '')) || []
  if (mark === undefined || kind === undefined) return undefined
  const [title, body] = cutLine([textNode((start?.value ?? '').slice(mark.length)), ...line])
  const name = kind.charAt(0).toUpperCase() + kind.slice(1).replaceAll('-', ' ')
  const isUntitled = title.every((node) => node.type === 'text' && (node.value ?? '').trim() === '')
  return elementNode('call-out', { dataKind: kind.toLowerCase(), dataFold: fold }, [
    elementNode('call-out-title', {}, isUntitled ? [textNode(name)] : title),
    ...(body.length > 0 ? [{ type: 'paragraph', children: body }] : []),
    ...rest,
  ])
}

/** The first line, and what follows it. */
function cutLine(nodes: readonly MarkdownNode[]): [MarkdownNode[], MarkdownNode[]] {
  for (const [index, node] of nodes.entries()) {
    if (node.type === 'break') return [nodes.slice(0, index), nodes.slice(index + 1)]
    const at = node.type === 'text' ? (node.value ?? '').indexOf('\n') : -1
    if (at < 0) continue
    const [before, after] = [(node.value ?? '').slice(0, at), (node.value ?? '').slice(at + 1)]
    return [
      [...nodes.slice(0, index), textNode(before)],
      [...(after === '' ? [] : [textNode(after)]), ...nodes.slice(index + 1)],
    ]
  }
  return [[...nodes], []]
}
