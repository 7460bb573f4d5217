import rehypeRaw from 'rehype-raw'
import rehypeSanitize, { type Options as Schema } from 'rehype-sanitize'
import { attachmentKind } from '#shared/util/attachments.ts'
import { textTags } from './remark-notes.ts'

type Transform = ReturnType<typeof rehypeRaw>
type Root = Parameters<Transform>[0]
type Node = Root['children'][number]
type Element = Extract<Node, { type: 'element' }>

/** Limits of nested elements and of nodes in a row; beyond them the row shows its source. */
const maxDepth = 30
const maxNodes = 6000

/** Elements that `remark-notes.ts` creates, in addition to the allowed tags. */
const customTags = [
  'note-embed',
  'block-reference',
  'foot-note',
  'call-out',
  'call-out-title',
  'note-tag',
  'quiet-macro',
  'web-page',
  'note-property',
  'task-mark',
  'line-mark',
  'task-state',
]

const cellAttributes: [string, RegExp][] = [
  ['colSpan', /^\d{1,2}$/],
  ['rowSpan', /^\d{1,2}$/],
]

const schema: Schema = {
  tagNames: [...textTags, ...customTags, 'input'],
  attributes: {
    '*': [['align', 'left', 'center', 'right']],
    ...Object.fromEntries(customTags.map((name) => [name, ['data*']])),
    a: ['href', 'title'],
    code: ['dir', ['className', /^language-./, 'math-inline', 'math-display']],
    details: ['open'],
    img: ['src', 'alt', 'title'],
    input: [['type', 'checkbox'], ['disabled', true], 'checked', 'dataLine'],
    li: [['className', 'task-list-item']],
    ol: [
      ['start', /^\d{1,9}$/],
      ['className', 'contains-task-list'],
    ],
    td: cellAttributes,
    th: cellAttributes,
    ul: [['className', 'contains-task-list']],
  },
  ancestors: Object.fromEntries(['tbody', 'td', 'th', 'thead', 'tfoot', 'tr'].map((name) => [name, ['table']])),
  // The renderer checks `href` and `src` again with the same list.
  protocols: {
    href: ['http', 'https', 'irc', 'ircs', 'mailto', 'xmpp'],
    src: ['http', 'https'],
    dataAddress: ['http', 'https'],
  },
  strip: ['script', 'style'],
}

const parse = rehypeRaw()
const sanitize = rehypeSanitize(schema)

export function rehypeHtml() {
  return (tree: Root, file: Parameters<Transform>[1]): Root => {
    const pieces = rawHtmlOf(tree)
    if (pieces.length === 0 || maxTagDepth(pieces) > maxDepth) return tree
    const first = tree.children[0]
    const outerTag = first?.type === 'raw' ? outerTagOf(first.value) : undefined
    const wrapped: Root =
      outerTag === undefined ? tree : { ...tree, children: [{ type: 'raw', value: outerTag }, ...tree.children] }
    const children = wrapInParagraphs(parse(wrapped, file).children.flatMap(replaceMedia))
    const sanitized = sanitize({ type: 'root', children })
    return countNodes(sanitized) > maxNodes ? tree : sanitized
  }
}

function rawHtmlOf(node: Node | Root): string[] {
  if (node.type === 'raw') return [node.value]
  return 'children' in node ? node.children.flatMap(rawHtmlOf) : []
}

/** Tags whose end tag is optional or does not exist. */
const tagsWithoutEnd = /^(?:br|hr|img|wbr|source|p|li|d[dt]|t[dhr]|thead|tbody|tfoot|r[pt])$/i

/** Returns the maximum nesting of open tags, since the HTML parser recurses once per level. */
function maxTagDepth(pieces: readonly string[]): number {
  let depth = 0
  let deepest = 0
  for (const piece of pieces)
    for (const [, slash, name = ''] of piece.matchAll(/<(\/?)([a-z][a-z\d]*)/gi)) {
      if (tagsWithoutEnd.test(name)) continue
      depth = Math.max(0, depth + (slash === '' ? 1 : -1))
      deepest = Math.max(deepest, depth)
    }
  return deepest
}

/** Returns the parent tag of a row that begins inside a table or list, since long ones are split into several rows. */
function outerTagOf(html: string): string | undefined {
  const [, name = ''] = /^\s*<([a-z]+)/i.exec(html) ?? []
  if (/^(?:t[dhr]|thead|tbody|tfoot|caption)$/i.test(name)) return '<table>'
  if (/^d[dt]$/i.test(name)) return '<dl>'
  return /^li$/i.test(name) ? '<ul>' : undefined
}

/** Replaces remote pages, video and audio with links, which load nothing, and files of the workspace with embeds. */
function replaceMedia(node: Node): Node[] {
  if (node.type !== 'element') return [node]
  const children = node.children.flatMap((child) => replaceMedia(child).filter((inner) => inner.type !== 'doctype'))
  const address = propertyOf(node, 'src')
  switch (node.tagName) {
    case 'img': {
      const alt = propertyOf(node, 'alt')
      const width = /^(\d+)(?:px)?;?$/.exec(propertyOf(node, 'width'))?.[1]
      return [elementOf('img', { ...node.properties, alt: width === undefined ? alt : `${alt}|${width}` })]
    }
    case 'iframe':
    case 'video':
    case 'audio':
    case 'source': {
      const title = propertyOf(node, 'title')
      if (/^https?:/i.test(address))
        return [elementOf('web-page', { dataAddress: address, dataLabel: title || undefined })]
      if (attachmentKind(address) !== undefined) return [elementOf('img', { src: address, alt: title })]
      if (node.tagName === 'iframe') return [elementOf('quiet-macro', { dataText: `<iframe src="${address}">` })]
      // Other children are a fallback text for browsers without video support.
      return children.filter((child) => child.type === 'element' && /^(?:web-page|img)$/.test(child.tagName))
    }
    default:
      return [{ ...node, children }]
  }
}

function wrapInParagraphs(nodes: readonly Node[]): Node[] {
  const result: Node[] = []
  let paragraph: Element | undefined
  for (const node of nodes) {
    if (!isInline(node)) {
      paragraph = undefined
      result.push(node)
    } else if (paragraph) paragraph.children.push(node)
    else {
      paragraph = elementOf('p', {}, [node])
      result.push(paragraph)
    }
  }
  return result
}

function isInline(node: Node): node is Element | Extract<Node, { type: 'text' }> {
  if (node.type === 'element') return /^(?:img|web-page|quiet-macro)$/.test(node.tagName)
  return node.type === 'text' && node.value.trim() !== ''
}

function elementOf(tagName: string, properties: Element['properties'], children: Element['children'] = []): Element {
  return { type: 'element', tagName, properties, children }
}

function propertyOf({ properties }: Element, name: string): string {
  const value = properties[name]
  return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
}

function countNodes(node: Node | Root): number {
  return 'children' in node ? node.children.reduce((sum, child) => sum + countNodes(child), 1) : 1
}
