/**
 * A block of HTML as elements that only show: those of a list, without attributes but for the shape of tables and lists.
 * Nothing in it is Markdown. What the list lacks (scripts, forms, drawings …) leaves all of the block its source. Pure.
 */
import { imageOf, inlineNode, mediaOf, shownAs, textOfHtml } from './inline-html.ts'
import { elementNode, textNode, type MarkdownNode } from './mdast.ts'

/** A tag that is longer is text. Deeper elements stand in the last that is not too deep. */
const maxTag = 2000
const maxDepth = 30

const blocks: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    'div p table caption thead tbody tfoot tr td th h1 h2 h3 h4 h5 h6 ul ol li dl dt dd blockquote pre details summary figure figcaption section article header footer main aside address hr'
      .split(' ')
      .map((name) => [name, name]),
  ),
  center: 'div',
}

function blockOf(name: string): string | undefined {
  return Object.hasOwn(blocks, name) ? blocks[name] : undefined
}

/** What ends where another of them begins, and what keeps that inside. */
const ends: readonly (readonly [begins: RegExp, ended: RegExp, bounds: RegExp])[] = [
  [/^li$/, /^li$/, /^[uo]l$/],
  [/^d[td]$/, /^d[td]$/, /^dl$/],
  [/^t[dh]$/, /^t[dh]$/, /^table$/],
  [/^tr$/, /^t[rdh]$/, /^table$/],
  [/^t(?:head|body|foot)$/, /^t(?:[rdh]|head|body|foot)$/, /^table$/],
]

interface Open {
  readonly name: string
  readonly node: MarkdownNode
}

/** @returns undefined where something stands in it that is not shown */
export function nodesOfHtml(text: string): MarkdownNode[] | undefined {
  const root: MarkdownNode = { type: 'root', children: [] }
  const open: Open[] = []
  const inside = () => open.at(-1)?.node ?? root
  const add = (node: MarkdownNode) => inside().children?.push(node)
  const addText = (raw: string) => {
    const isPre = open.some(({ name }) => name === 'pre')
    const name = open.at(-1)?.name ?? 'div'
    const isFirst = inside().children?.length === 0 && blockOf(name) !== undefined
    const words = isPre ? raw : raw.replace(/[ \t\n]+/g, ' ').replace(isFirst ? /^ / : /$^/, '')
    const holdsWords = isPre || !/^(?:table|thead|tbody|tfoot|tr|ul|ol|dl)$/.test(name)
    if (words !== '' && (holdsWords || words !== ' ')) add(textNode(textOfHtml(words)))
  }
  /** A film or page that is open: what stands in it is for programs that know neither. */
  let media: string | undefined
  let from = 0
  for (let at = text.indexOf('<'); at >= 0; at = text.indexOf('<', Math.max(from, at + 1))) {
    const tag = tagAt(text, at)
    if (tag === undefined) continue
    if (media === undefined) addText(text.slice(from, at))
    from = at + tag.length
    const [, slash = '', written = ''] = /^<(\/?)([a-z][a-z\d]*)/i.exec(tag) ?? []
    const name = written.toLowerCase()
    const isEnd = slash !== ''
    const file = mediaOf(name, tag)
    if (file) {
      if (!isEnd) add(file)
      if (name !== 'source') media = isEnd ? undefined : name
    } else if (written === '' || media !== undefined || name === 'wbr') continue
    else if (name === 'img') add(imageOf(tag))
    else if (name === 'br') add({ type: 'break' })
    else if (name === 'hr') add({ type: 'thematicBreak' })
    else if (blockOf(name) === undefined && shownAs(name) === undefined) return undefined
    else if (isEnd) close(open, name)
    else {
      endFormer(open, name)
      const shown = blockOf(name)
      const node = shown === undefined ? inlineNode(name, tag, []) : htmlNode(shown, shapeOf(name, tag))
      add(node)
      if (open.length < maxDepth) open.push({ name, node })
    }
  }
  if (media === undefined) addText(text.slice(from))
  return grouped(root.children ?? []).map(withCode)
}

/** A tag or comment that begins there, as it is written; quoted values may hold `>`. */
function tagAt(text: string, at: number): string | undefined {
  if (text.startsWith('<!--', at)) {
    const end = text.indexOf('-->', at)
    return text.slice(at, end < 0 ? undefined : end + 3)
  }
  if (!/^<(?:\/?[a-z]|!)/i.test(text.slice(at, at + 3))) return undefined
  return /^<(?:"[^"]*"|'[^']*'|[^"'<>])*>/.exec(text.slice(at, at + maxTag))?.[0]
}

function close(open: Open[], name: string): void {
  const at = open.findLastIndex((one) => one.name === name)
  if (at >= 0) open.length = at
}

function endFormer(open: Open[], name: string): void {
  if (blockOf(name) !== undefined && open.at(-1)?.name === 'p') open.pop()
  for (const [begins, ended, bounds] of ends) {
    if (!begins.test(name)) continue
    const bound = open.findLastIndex((one) => bounds.test(one.name))
    const at = open.findIndex((one, index) => index > bound && ended.test(one.name))
    if (at >= 0) open.length = at
  }
}

const alignments = new Set(['left', 'center', 'right'])

/** The few attributes that say how a thing is laid out. */
function shapeOf(name: string, tag: string): Record<string, unknown> {
  const shape: Record<string, unknown> = {}
  const align = name === 'center' ? name : /\salign\s*=\s*["']?([a-z]+)/i.exec(tag)?.[1]?.toLowerCase()
  if (align !== undefined && alignments.has(align)) shape['style'] = `text-align:${align}`
  for (const [attribute, property] of [
    ['colspan', 'colSpan'],
    ['rowspan', 'rowSpan'],
    ['start', 'start'],
  ] as const) {
    const number = new RegExp(`\\s${attribute}\\s*=\\s*["']?(\\d{1,2})\\b`, 'i').exec(tag)?.[1]
    if (number !== undefined && /^(?:t[dh]|ol)$/.test(name)) shape[property] = Number(number)
  }
  if (name === 'details' && /\sopen\b/i.test(tag)) shape['open'] = true
  return shape
}

/** Not by its own name: some elements are called what Markdown calls something else. */
function htmlNode(name: string, properties: Record<string, unknown>, children: MarkdownNode[] = []): MarkdownNode {
  return { ...elementNode(name, properties, children), type: 'html-element' }
}

function nameOf(node: MarkdownNode): string {
  return node.data?.hName ?? node.type
}

/** Words at the top make a paragraph; rows and cells that stand there, of a table that was cut, a table. */
function grouped(nodes: readonly MarkdownNode[]): MarkdownNode[] {
  const cells = runs(
    nodes,
    (node) => /^t[dh]$/.test(nameOf(node)),
    (run) => htmlNode('tr', {}, run),
  )
  const rows = runs(
    cells,
    (node) => nameOf(node) === 'tr',
    (run) => htmlNode('tbody', {}, run),
  )
  const tables = runs(
    rows,
    (node) => /^t(?:head|body|foot)$/.test(nameOf(node)),
    (run) => htmlNode('table', {}, run),
  )
  const lists = runs(
    tables,
    (node) => nameOf(node) === 'li',
    (run) => htmlNode('ul', {}, run),
  )
  const isBlock = (node: MarkdownNode) => blockOf(nameOf(node)) !== undefined || node.type === 'thematicBreak'
  return runs(
    lists,
    (node) => !isBlock(node),
    (run) => ({ type: 'paragraph', children: run }),
  ).filter(({ type, children }) => type !== 'paragraph' || children?.some(({ value }) => value?.trim() !== ''))
}

function runs(
  nodes: readonly MarkdownNode[],
  belongs: (node: MarkdownNode) => boolean,
  made: (run: MarkdownNode[]) => MarkdownNode,
): MarkdownNode[] {
  const result: MarkdownNode[] = []
  let run: MarkdownNode[] | undefined
  for (const node of nodes) {
    if (!belongs(node)) {
      // What parts rows from each other is no word.
      if (node.value?.trim() !== '') run = undefined
      result.push(node)
    } else if (run) run.push(node)
    else {
      run = [node]
      result.push(made(run))
    }
  }
  return result
}

/** What is laid out beforehand keeps its lines. */
function withCode(node: MarkdownNode): MarkdownNode {
  if (nameOf(node) === 'pre') return { type: 'code', lang: null, value: wordsOf(node).replace(/^\n|\n$/g, '') }
  return node.children ? { ...node, children: node.children.map(withCode) } : node
}

function wordsOf(node: MarkdownNode): string {
  return node.type === 'break' ? '\n' : (node.value ?? (node.children ?? []).map(wordsOf).join(''))
}
