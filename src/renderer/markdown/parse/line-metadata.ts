import { elementNode, plainText, textNode, type MarkdownNode } from './mdast.ts'

const property = /^\s*([A-Za-z\p{L}][\w\p{L}./-]*)::(?:[ \t]|$)/u
const hidden =
  /^(?:id|collapsed|background-color|heading|logseq\..*|card-[\w-]+|ls-type|hl-[\w-]+|(?:created|updated)[-_]at)$/i
const blockId = /(?:^|\s)\^[A-Za-z\d-]+\s*$/
/** Logseq's timestamps of a task: `done:: 1621594005775`. */
const stamp = /^(?:todo|doing|done|later|now|wait|waiting|in-progress|cancell?ed):: *\d{13}\s*$/i
/** Image size as Logseq writes it: `{:height 300, :width 400}`. */
const sizeOf = /^\{:(?:height|width)\s[^{}\n]*\}/

/** Removes metadata for programs and renders the other properties. */
export function renderProperties(nodes: readonly MarkdownNode[]): MarkdownNode[] {
  return withoutBlockId(withProperties(withSizes(nodes)))
}

function withSizes(nodes: readonly MarkdownNode[]): MarkdownNode[] {
  return nodes.map((node, index) => {
    const before = nodes[index - 1]
    if (node.type !== 'text' || before?.type !== 'image') return node
    const size = sizeOf.exec(node.value ?? '')?.[0]
    if (size === undefined) return node
    const width = /:width\s+(\d+)/.exec(size)?.[1]
    if (width !== undefined) before.alt = `${before.alt ?? ''}|${width}`
    return textNode((node.value ?? '').slice(size.length))
  })
}

function withProperties(nodes: readonly MarkdownNode[]): MarkdownNode[] {
  if (!nodes.some(({ value }) => value?.includes('::'))) return [...nodes]
  const shown: Line[] = []
  for (const line of linesOf(nodes)) {
    const [first, ...rest] = line.nodes
    const [mark = '', key] = (first?.type === 'text' && property.exec(first.value ?? '')) || []
    if (key === undefined) shown.push(line)
    else if (!hidden.test(key) && !stamp.test(line.nodes.map(plainText).join('').trim())) {
      const value = [textNode((first?.value ?? '').slice(mark.length)), ...rest]
      shown.push({ nodes: [elementNode('note-property', { dataKey: key }, value)], separator: line.separator })
    }
  }
  // Properties are blocks, so there is no line break next to them.
  const isProperty = (line: Line | undefined) => line?.nodes[0]?.type === 'note-property'
  return shown.flatMap((line, index) =>
    index === 0 || isProperty(line) || isProperty(shown[index - 1]) ? line.nodes : [line.separator, ...line.nodes],
  )
}

interface Line {
  readonly nodes: MarkdownNode[]
  readonly separator: MarkdownNode
}

function linesOf(nodes: readonly MarkdownNode[]): Line[] {
  const lines: Line[] = [{ nodes: [], separator: textNode('\n') }]
  for (const node of nodes) {
    if (node.type === 'break') {
      lines.push({ nodes: [], separator: node })
      continue
    }
    if (node.type !== 'text') {
      lines.at(-1)?.nodes.push(node)
      continue
    }
    for (const [index, part] of (node.value ?? '').split('\n').entries()) {
      if (index > 0) lines.push({ nodes: [], separator: textNode('\n') })
      if (part !== '') lines.at(-1)?.nodes.push(textNode(part))
    }
  }
  return lines
}

function withoutBlockId(nodes: readonly MarkdownNode[]): MarkdownNode[] {
  const last = nodes.at(-1)
  if (last?.type !== 'text' || !blockId.test(last.value ?? '')) return [...nodes]
  return [...nodes.slice(0, -1), textNode((last.value ?? '').replace(blockId, ''))]
}

/** Returns true if the nodes contain only white space. */
export function isEmpty(nodes: readonly MarkdownNode[]): boolean {
  return nodes.every((node) => node.type === 'text' && plainText(node).trim() === '')
}
