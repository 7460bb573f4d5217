import { attachmentKind } from '#shared/util/attachments.ts'
import { splitTarget } from '#shared/markdown/links/parse-links.ts'
import { isEmpty, renderProperties, transformInline } from './inline-text.ts'
import { elementNode, textNode, type MarkdownNode } from './mdast.ts'

/** HTML elements for text and images. Other tags (scripts, forms, drawings) are shown as source. */
export const textTags: readonly string[] =
  'a abbr address article aside b big blockquote br caption center cite code dd del details dfn div dl dt em figcaption figure font footer h1 h2 h3 h4 h5 h6 header hr i img ins kbd li main mark nobr ol p pre q rp rt ruby s samp section small span strike strong sub summary sup table tbody td tfoot th thead tr tt u ul var wbr'.split(
    ' ',
  )

/** Elements that load content. They are replaced with a link or an embed. */
const mediaTags = ['iframe', 'video', 'audio', 'source']

const allowed = new Set([...textTags, ...mediaTags, 'button', 'label', 'time'])

/** Returns true if HTML has only tags that the preview can show. Reads tag names as the HTML parser does. */
function isAllowedHtml(html: string): boolean {
  return html.matchAll(/<\/?([a-z][^\s/>]*)/gi).every(([, name = '']) => allowed.has(name.toLowerCase()))
}

/** Longer HTML with disallowed tags is shown as a code block. In characters. */
const maxInlineHtml = 100

export function remarkNotes() {
  return (tree: MarkdownNode) => {
    tree.children = (tree.children ?? []).flatMap(transformNode)
  }
}

function transformNode(node: MarkdownNode): MarkdownNode[] {
  switch (node.type) {
    case 'html': {
      const text = (node.value ?? '').trim()
      if (isAllowedHtml(text)) return [node]
      if (text.length > maxInlineHtml || text.includes('\n')) return [{ type: 'code', lang: 'html', value: text }]
      return [{ type: 'paragraph', children: [elementNode('quiet-macro', { dataText: text })] }]
    }
    case 'blockquote': {
      const block = calloutOf(node) ?? node
      return [{ ...block, children: (block.children ?? []).flatMap(transformNode) }]
    }
    case 'paragraph':
      return transformParagraph(node)
    case 'heading':
    case 'tableCell':
    case 'call-out-title':
      return [{ ...node, children: transformInline(disallowedTagsToText(renderProperties(node.children ?? []))) }]
    case 'listItem':
      return [convertTask({ ...node, children: convertTaskState((node.children ?? []).flatMap(transformNode)) })]
    default:
      return [node.children ? { ...node, children: node.children.flatMap(transformNode) } : node]
  }
}

function disallowedTagsToText(nodes: readonly MarkdownNode[]): MarkdownNode[] {
  return nodes.map((node) => {
    if (node.type === 'html') return isAllowedHtml(node.value ?? '') ? node : textNode(node.value ?? '')
    return node.children ? { ...node, children: disallowedTagsToText(node.children) } : node
  })
}

function transformParagraph(node: MarkdownNode): MarkdownNode[] {
  const children = transformInline(disallowedTagsToText(renderProperties(node.children ?? [])))
  if (isEmpty(children)) return []
  const [only, ...others] = children.filter((child) => child.type !== 'text' || (child.value ?? '').trim() !== '')
  if (only?.type === 'note-embed' && others.length === 0) return [withProperty(only, 'dataBlock', 'yes')]
  // Embedded notes split the paragraph around them; images stay inline.
  if (children.some(isNoteEmbed)) return splitAtEmbeds(children, node)
  if (only?.type === 'inlineMath' && others.length === 0)
    return [{ ...node, children: [withProperty(only, 'className', ['language-math', 'math-display'])] }]
  return [{ ...node, children }]
}

function isNoteEmbed({ type, data }: MarkdownNode): boolean {
  const target = String(data?.hProperties?.['dataTarget'] ?? '')
  return type === 'note-embed' && attachmentKind(splitTarget(target).target) === undefined
}

function splitAtEmbeds(children: readonly MarkdownNode[], paragraph: MarkdownNode): MarkdownNode[] {
  const parts: MarkdownNode[] = []
  let inlineNodes: MarkdownNode[] = []
  const endParagraph = () => {
    if (!isEmpty(inlineNodes)) parts.push({ ...paragraph, children: inlineNodes })
    inlineNodes = []
  }
  for (const child of children) {
    if (!isNoteEmbed(child)) inlineNodes.push(child)
    else {
      endParagraph()
      parts.push(withProperty(child, 'dataBlock', 'yes'))
    }
  }
  endParagraph()
  return parts
}

function withProperty(node: MarkdownNode, name: string, value: unknown): MarkdownNode {
  return { ...node, data: { ...node.data, hProperties: { ...node.data?.hProperties, [name]: value } } }
}

/** Matches the text at the start of a block. @returns `line`: the first paragraph without the match */
function matchStart(blocks: readonly MarkdownNode[], pattern: RegExp) {
  const [first, ...rest] = blocks
  const [start, ...others] = first?.type === 'paragraph' ? (first.children ?? []) : []
  const match = start?.type === 'text' ? pattern.exec(start.value ?? '') : null
  if (!first || !match) return undefined
  const line: MarkdownNode[] = [textNode(match.input.slice(match[0].length)), ...others]
  return { first, rest, match, line }
}

const taskStatePattern = /^(TODO|DOING|DONE|LATER|NOW|IN-PROGRESS|WAIT|WAITING|CANCELED|CANCELLED)\s+/

function convertTaskState(children: MarkdownNode[]): MarkdownNode[] {
  const start = matchStart(children, taskStatePattern)
  if (!start) return children
  const state = elementNode('task-state', { dataState: start.match[1] })
  return [{ ...start.first, children: [state, ...start.line] }, ...start.rest]
}

const otherCheckbox = /^\[([^\s[\]])\](?:[ \t]+|$)/u

/** Converts items with other states than those of Markdown to tasks: `- [/]` (begun), `- [-]` (cancelled) … */
function convertTask(item: MarkdownNode): MarkdownNode {
  const start = matchStart(item.children ?? [], otherCheckbox)
  if (!start || typeof item.checked === 'boolean') return item
  const { first, rest, match, line } = start
  const styledLine = match[1] === '-' ? [{ type: 'delete', children: line }] : line
  const task = { ...first, children: [elementNode('task-mark', { dataMark: match[1] }), ...styledLine] }
  return withProperty({ ...item, children: [task, ...rest] }, 'className', ['task-list-item'])
}

const calloutPattern = /^\[!([\w-]{1,40})(?:\|[^\]\n]*)?\]([+-]?)[ \t]*/

/** Converts `> [!note]- Title`, the syntax of Obsidian and GitHub. @returns undefined for any other quote */
function calloutOf({ children = [] }: MarkdownNode): MarkdownNode | undefined {
  const start = matchStart(children, calloutPattern)
  if (!start) return undefined
  const [, kind = '', fold] = start.match
  const [title, body] = splitFirstLine(start.line)
  const defaultTitle = kind.charAt(0).toUpperCase() + kind.slice(1).replaceAll('-', ' ')
  return elementNode('call-out', { dataKind: kind.toLowerCase(), dataFold: fold }, [
    elementNode('call-out-title', {}, isEmpty(title) ? [textNode(defaultTitle)] : title),
    ...(body.length > 0 ? [{ type: 'paragraph', children: body }] : []),
    ...start.rest,
  ])
}

function splitFirstLine(nodes: readonly MarkdownNode[]): [MarkdownNode[], MarkdownNode[]] {
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
