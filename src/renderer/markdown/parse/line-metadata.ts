import { elementNode, plainText, textNode, type MarkdownNode } from './mdast.ts'

const propertyPattern = /^\s*([A-Za-z\p{L}][\w\p{L}./-]*)::(?:[ \t]|$)/u
const hiddenKeys =
  /^(?:id|collapsed|background-color|heading|logseq\..*|card-[\w-]+|ls-type|hl-[\w-]+|(?:created|updated)[-_]at)$/i
const blockIdPattern = /(?:^|\s)\^[A-Za-z\d-]+\s*$/
/** Logseq's timestamps of a task: `done:: 1621594005775`. */
const timestampPattern = /^(?:todo|doing|done|later|now|wait|waiting|in-progress|cancell?ed):: *\d{13}\s*$/i
/** Image size as Logseq writes it: `{:height 300, :width 400}`. */
const sizePattern = /^\{:(?:height|width)\s[^{}\n]*\}/

/** Removes metadata that programs write, such as `id::`, and converts the other properties to elements. */
export function renderProperties(nodes: readonly MarkdownNode[]): MarkdownNode[] {
  return removeBlockId(convertProperties(applyImageSizes(nodes)))
}

function applyImageSizes(nodes: readonly MarkdownNode[]): MarkdownNode[] {
  return nodes.map((node, index) => {
    const previous = nodes[index - 1]
    if (node.type !== 'text' || previous?.type !== 'image') return node
    const size = sizePattern.exec(node.value ?? '')?.[0]
    if (size === undefined) return node
    const width = /:width\s+(\d+)/.exec(size)?.[1]
    if (width !== undefined) previous.alt = `${previous.alt ?? ''}|${width}`
    return textNode((node.value ?? '').slice(size.length))
  })
}

function convertProperties(nodes: readonly MarkdownNode[]): MarkdownNode[] {
  if (!nodes.some(({ value }) => value?.includes('::'))) return [...nodes]
  const lines: Line[] = []
  for (const line of linesOf(nodes)) {
    const [first, ...rest] = line.nodes
    const [keyText = '', key] = (first?.type === 'text' && propertyPattern.exec(first.value ?? '')) || []
    if (key === undefined) lines.push(line)
    else if (!hiddenKeys.test(key) && !timestampPattern.test(line.nodes.map(plainText).join('').trim())) {
      const value = [textNode((first?.value ?? '').slice(keyText.length)), ...rest]
      lines.push({ nodes: [elementNode('note-property', { dataKey: key }, value)], separator: line.separator })
    }
  }
  // Properties are blocks, so there is no line break next to them.
  const isProperty = (line: Line | undefined) => line?.nodes[0]?.type === 'note-property'
  return lines.flatMap((line, index) =>
    index === 0 || isProperty(line) || isProperty(lines[index - 1]) ? line.nodes : [line.separator, ...line.nodes],
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

function removeBlockId(nodes: readonly MarkdownNode[]): MarkdownNode[] {
  const last = nodes.at(-1)
  if (last?.type !== 'text' || !blockIdPattern.test(last.value ?? '')) return [...nodes]
  return [...nodes.slice(0, -1), textNode((last.value ?? '').replace(blockIdPattern, ''))]
}

export function isEmpty(nodes: readonly MarkdownNode[]): boolean {
  return nodes.every((node) => node.type === 'text' && plainText(node).trim() === '')
}
