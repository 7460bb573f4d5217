/** Makes of the tree of Markdown that of a note: callouts, embeds, highlights, properties; what is hidden is taken out. */
import { calloutOf } from './callout.ts'
import { imageOf, withTags } from './html.ts'
import { withInline } from './inline.ts'
import { isEmpty, withLines } from './lines.ts'
import { elementNode, plainText, textNode, type MarkdownNode } from './mdast.ts'

export function remarkNotes() {
  return (tree: MarkdownNode) => {
    tree.children = (tree.children ?? []).flatMap(changed)
  }
}

/** What stands in the place of a node. */
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
      return [{ ...node, children: withInline(withTags(withLines(node.children ?? []))) }]
    case 'listItem':
      return [{ ...node, children: withMarker((node.children ?? []).flatMap(changed)) }]
    default:
      return [node.children ? { ...node, children: node.children.flatMap(changed) } : node]
  }
}

function ofHtml(node: MarkdownNode): MarkdownNode[] {
  const text = (node.value ?? '').trim()
  if (text.startsWith('<!--')) return []
  if (/^<img\b[^<>]*>$/i.test(text)) return [{ type: 'paragraph', children: [imageOf(text)] }]
  if (/^(?:<br\s*\/?>\s*)+$/i.test(text)) return []
  return [{ type: 'paragraph', children: [elementNode('quiet-macro', { dataText: text })] }]
}

function ofParagraph(node: MarkdownNode): MarkdownNode[] {
  const children = withInline(withTags(withLines(node.children ?? [])))
  if (isEmpty(children)) return []
  const [only, ...others] = children.filter((child) => child.type !== 'text' || (child.value ?? '').trim() !== '')
  // What is embedded alone in its line is a block; beside other words it is a link.
  if (only?.type === 'note-embed' && others.length === 0) return [asBlock(only)]
  if (only?.type === 'inlineMath' && others.length === 0)
    return [{ ...node, children: [withProperty(only, 'className', ['language-math', 'math-display'])] }]
  return [{ ...node, children }]
}

function asBlock(node: MarkdownNode): MarkdownNode {
  return withProperty(node, 'dataBlock', 'yes')
}

function withProperty(node: MarkdownNode, name: string, value: unknown): MarkdownNode {
  return { ...node, data: { ...node.data, hProperties: { ...node.data?.hProperties, [name]: value } } }
}

const marker = /^(TODO|DOING|DONE|LATER|NOW|WAITING|CANCELED|CANCELLED)\s+/

/** The states of Logseq's tasks. */
function withMarker(children: MarkdownNode[]): MarkdownNode[] {
  const [first, ...rest] = children
  const [start, ...line] = first?.type === 'paragraph' ? (first.children ?? []) : []
  const [mark, state] = (start?.type === 'text' && marker.exec(plainText(start))) || []
  if (!first || mark === undefined || state === undefined) return children
  const text = textNode(plainText(start ?? textNode('')).slice(mark.length))
  return [{ ...first, children: [elementNode('task-state', { dataState: state }), text, ...line] }, ...rest]
}
