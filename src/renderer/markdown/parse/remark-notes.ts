import { attachmentKind } from '#shared/util/attachments.ts'
import { splitTarget } from '#shared/markdown/links/link-target.ts'
import { isAllowedHtml } from './html-tags.ts'
import { transformInline } from './inline-text.ts'
import { isEmpty, renderProperties } from './line-metadata.ts'
import { elementNode, plainText, textNode, type MarkdownNode } from './mdast.ts'

const maxQuiet = 100

export function remarkNotes() {
  return (tree: MarkdownNode) => {
    tree.children = (tree.children ?? []).flatMap(changed)
  }
}

function changed(node: MarkdownNode): MarkdownNode[] {
  switch (node.type) {
    case 'html':
      return ofHtml(node)
    case 'blockquote': {
      const callout = calloutOf(node)
      const shown = callout ?? node
      return [{ ...shown, children: (shown.children ?? []).flatMap(changed) }]
    }
    case 'paragraph':
      return ofParagraph(node)
    case 'heading':
    case 'tableCell':
    case 'call-out-title':
      return [{ ...node, children: transformInline(withShownTags(renderProperties(node.children ?? []))) }]
    case 'listItem':
      return [asTask({ ...node, children: withMarker((node.children ?? []).flatMap(changed)) })]
    default:
      return [node.children ? { ...node, children: node.children.flatMap(changed) } : node]
  }
}

function ofHtml(node: MarkdownNode): MarkdownNode[] {
  const text = (node.value ?? '').trim()
  if (isAllowedHtml(text)) return [node]
  if (text.length > maxQuiet || text.includes('\n')) return [{ type: 'code', lang: 'html', value: text }]
  return [{ type: 'paragraph', children: [elementNode('quiet-macro', { dataText: text })] }]
}

function withShownTags(nodes: readonly MarkdownNode[]): MarkdownNode[] {
  return nodes.map((node) => {
    if (node.type === 'html') return isAllowedHtml(node.value ?? '') ? node : textNode(node.value ?? '')
    return node.children ? { ...node, children: withShownTags(node.children) } : node
  })
}

function ofParagraph(node: MarkdownNode): MarkdownNode[] {
  const children = transformInline(withShownTags(renderProperties(node.children ?? [])))
  if (isEmpty(children)) return []
  const [only, ...others] = children.filter((child) => child.type !== 'text' || (child.value ?? '').trim() !== '')
  if (only?.type === 'note-embed' && others.length === 0) return [asBlock(only)]
  // Embedded notes split the paragraph around them; images stay inline.
  if (children.some(isNoteEmbed)) return partedAt(children, node)
  if (only?.type === 'inlineMath' && others.length === 0)
    return [{ ...node, children: [withProperty(only, 'className', ['language-math', 'math-display'])] }]
  return [{ ...node, children }]
}

function isNoteEmbed({ type, data }: MarkdownNode): boolean {
  const target = String(data?.hProperties?.['dataTarget'] ?? '')
  return type === 'note-embed' && attachmentKind(splitTarget(target).target) === undefined
}

function partedAt(children: readonly MarkdownNode[], paragraph: MarkdownNode): MarkdownNode[] {
  const parts: MarkdownNode[] = []
  let words: MarkdownNode[] = []
  const end = () => {
    if (!isEmpty(words)) parts.push({ ...paragraph, children: words })
    words = []
  }
  for (const child of children) {
    if (!isNoteEmbed(child)) words.push(child)
    else {
      end()
      parts.push(asBlock(child))
    }
  }
  end()
  return parts
}

function asBlock(node: MarkdownNode): MarkdownNode {
  return withProperty(node, 'dataBlock', 'yes')
}

function withProperty(node: MarkdownNode, name: string, value: unknown): MarkdownNode {
  return { ...node, data: { ...node.data, hProperties: { ...node.data?.hProperties, [name]: value } } }
}

const marker = /^(TODO|DOING|DONE|LATER|NOW|IN-PROGRESS|WAIT|WAITING|CANCELED|CANCELLED)\s+/

function withMarker(children: MarkdownNode[]): MarkdownNode[] {
  const [first, ...rest] = children
  const [start, ...line] = first?.type === 'paragraph' ? (first.children ?? []) : []
  const [mark, state] = (start?.type === 'text' && marker.exec(plainText(start))) || []
  if (!first || mark === undefined || state === undefined) return children
  const text = textNode(plainText(start ?? textNode('')).slice(mark.length))
  return [{ ...first, children: [elementNode('task-state', { dataState: state }), text, ...line] }, ...rest]
}

const otherBox = /^\[([^\s[\]])\](?:[ \t]+|$)/u

/** Makes tasks of items with other states than Markdown's, such as `- [/]` (begun) and `- [-]` (cancelled). */
function asTask(item: MarkdownNode): MarkdownNode {
  const [first, ...rest] = item.children ?? []
  const [start, ...line] = first?.type === 'paragraph' ? (first.children ?? []) : []
  const [box, mark] = (start?.type === 'text' && otherBox.exec(plainText(start))) || []
  if (!first || !start || box === undefined || mark === undefined || typeof item.checked === 'boolean') return item
  const words = [textNode(plainText(start).slice(box.length)), ...line]
  const shown = mark === '-' ? [{ type: 'delete', children: words }] : words
  const task = { ...first, children: [elementNode('task-mark', { dataMark: mark }), ...shown] }
  return withProperty({ ...item, children: [task, ...rest] }, 'className', ['task-list-item'])
}

const calloutHead = /^\[!([\w-]{1,40})(?:\|[^\]\n]*)?\]([+-]?)[ \t]*/

/** Converts `> [!note]- Title`, the syntax of Obsidian and GitHub. @returns undefined for any other quote */
function calloutOf({ children = [] }: MarkdownNode): MarkdownNode | undefined {
  const [first, ...rest] = children
  const [start, ...line] = first?.type === 'paragraph' ? (first.children ?? []) : []
  const [mark, kind, fold] = (start?.type === 'text' && calloutHead.exec(start.value ?? '')) || []
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
