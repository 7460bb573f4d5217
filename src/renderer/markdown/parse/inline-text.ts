import { splitCitations, splitText } from '#shared/markdown/citation.ts'
import { decodeAddress } from '#shared/util/decode.ts'
import { splitTags } from '#shared/markdown/properties/parse-properties.ts'
import { citationHref, nameHref, elementNode, linkNode, nodeText, textNode, type MarkdownNode } from './mdast.ts'

const wikiLink = String.raw`(!?)\[\[(?!\]\]|\|)([^[\]|#\n]*)(#[^[\]|\n]*)?(?:\|([^\n]*?))?\]\]`
/** Logseq: `[label]([[Page]])`, and images whose address contains spaces and is not in `<…>`. */
const labelledPage = String.raw`\[([^[\]\n]{1,200})\]\(\[\[([^[\]\n]{1,500})\]\]\)`
const imageWithSpaces = String.raw`!\[([^[\]\n]{0,200})\]\(([^()<>\n]{1,500}\.[A-Za-z\d]{2,5})\)(?:\{:[^{}\n]*?:?width\s+(\d+)[^{}\n]*\})?`
const specialSyntax = new RegExp(
  String.raw`${wikiLink}|${labelledPage}|${imageWithSpaces}|\[\^([^[\]\s]{1,100})\]|\{\{([^{}\n]{1,500})\}\}|\(\(([\da-f]{8}-[\da-f-]{27})\)\)|\^\[[ \t]*((?:local|private|web:|mcp:|file:|agent:|import:)[^\]\n]{0,300})\]|(==|\^\^)`,
  'g',
)

/** Logseq macros for videos and posts, which become a link. */
const videoMacro = /^(?:video|youtube|vimeo|bilibili|tweet|twitter)\s+(https?:\S+)$/i

export function transformInline(nodes: readonly MarkdownNode[]): MarkdownNode[] {
  const transformed = restoreMacros(restoreWikiLinks(nodes)).flatMap((node): MarkdownNode[] => {
    if (node.type === 'text')
      return splitText(node.value ?? '', specialSyntax, specialNode).flatMap((part) =>
        typeof part === 'string' ? parseCitations(part) : [part],
      )
    const page = node.type === 'link' ? /^\[\[([^[\]]+)\]\]$/.exec(node.url ?? '')?.[1] : undefined
    if (page !== undefined) return [{ ...node, url: nameHref(page) }]
    const block = node.type === 'link' ? /^\(\(([\da-f-]{36})\)\)$/.exec(node.url ?? '')?.[1] : undefined
    if (block !== undefined) return [elementNode('block-reference', { dataTarget: block, dataLabel: nodeText(node) })]
    if (node.children && node.type !== 'link' && node.type !== 'linkReference')
      return [{ ...node, children: transformInline(node.children) }]
    return [node]
  })
  return convertHighlights(transformed)
}

/** Restores `[[name]]` beside a definition `[name]: address` (Foam): the parser made a link of the inner brackets. */
function restoreWikiLinks(nodes: readonly MarkdownNode[]): MarkdownNode[] {
  const result: MarkdownNode[] = []
  for (const [index, node] of nodes.entries()) {
    const previous = result.at(-1)
    const next = nodes[index + 1]
    const isInner =
      node.type === 'linkReference' &&
      previous?.type === 'text' &&
      previous.value?.endsWith('[') === true &&
      next?.type === 'text' &&
      next.value?.startsWith(']') === true
    if (isInner) result[result.length - 1] = textNode(`${previous.value}[${node.label ?? nodeText(node)}]`)
    else if (node.type === 'text' && previous?.type === 'text' && nodes[index - 1]?.type === 'linkReference')
      result[result.length - 1] = textNode(`${previous.value}${node.value}`)
    else result.push(node)
  }
  return result
}

/** Restores `{{video https://…}}`: the parser made a link of the address, with or without the closing braces. */
function restoreMacros(nodes: readonly MarkdownNode[]): MarkdownNode[] {
  const result: MarkdownNode[] = []
  for (const node of nodes) {
    const previous = result.at(-1)
    const isMacroOpen = previous?.type === 'text' && /\{\{[^{}\n]*$/.test(previous.value ?? '')
    const address = isMacroOpen && node.type === 'link' ? nodeText(node) : ''
    if (previous && address !== '' && /^https?:/.test(address)) previous.value = `${previous.value ?? ''}${address}`
    else if (previous && isMacroOpen && node.type === 'text')
      previous.value = `${previous.value ?? ''}${node.value ?? ''}`
    else result.push(node.type === 'text' ? { ...node } : node)
  }
  return result
}

function specialNode(match: RegExpExecArray): MarkdownNode {
  const [, embedSign, name, fragment = '', wikiLabel, pageLabel, page, alt, address, width] = match
  const [footnote, macro, blockId, sourceMark, highlightSign] = match.slice(10)
  if (name !== undefined) {
    const target = name.trim() + fragment
    const label = wikiLabel?.trim() || undefined
    if (embedSign) return elementNode('note-embed', { dataTarget: target, dataLabel: label })
    return linkNode(nameHref(target), label ?? target)
  }
  if (page !== undefined) return linkNode(nameHref(page), pageLabel ?? page)
  if (address !== undefined)
    return {
      type: 'image',
      url: encodeURI(decodeAddress(address.trim())),
      alt: width === undefined ? (alt ?? '') : `${alt}|${width}`,
    }
  if (footnote !== undefined) return elementNode('foot-note', { dataLabel: footnote })
  if (macro !== undefined) return macroNode(macro.trim())
  if (blockId !== undefined) return elementNode('block-reference', { dataTarget: blockId })
  if (sourceMark !== undefined) return elementNode('line-mark', { dataText: sourceMark.trim() })
  return { type: 'highlight', value: highlightSign ?? '' }
}

/** Converts a macro of Logseq: an embedded block or page, or a video. Others are shown as source. */
function macroNode(macro: string): MarkdownNode {
  const [, block, page] = /^embed\s+(?:(\(\([\da-f-]{36}\)\))|\[\[([^[\]|]+)\]\])$/i.exec(macro) ?? []
  const target = block ?? page?.trim()
  if (target !== undefined) return elementNode('note-embed', { dataTarget: target })
  const address = videoMacro.exec(macro)?.[1]
  return address === undefined
    ? elementNode('quiet-macro', { dataText: macro })
    : elementNode('web-page', { dataAddress: address })
}

function parseCitations(text: string): MarkdownNode[] {
  return splitCitations(text).flatMap((part) =>
    typeof part === 'string'
      ? splitTags(part).map((piece) =>
          typeof piece === 'string' ? textNode(piece) : elementNode('note-tag', { dataText: piece.tag }),
        )
      : linkNode(citationHref(part), part.path),
  )
}

/** Converts the text between two `==`, or `^^` in Logseq, to a `mark` element. A single sign stays text. */
function convertHighlights(nodes: readonly MarkdownNode[]): MarkdownNode[] {
  if (!nodes.some(({ type }) => type === 'highlight')) return [...nodes]
  const textAt = (index: number) => nodes[index]?.value ?? (nodes[index] ? 'x' : ' ')
  const canClose = (index: number) => /\S$/.test(textAt(index - 1))
  const lastEnds = new Map<string, number>()
  for (const [index, { type, value }] of nodes.entries())
    if (type === 'highlight' && canClose(index)) lastEnds.set(value ?? '', index)
  const result: MarkdownNode[] = []
  let open: { readonly start: number; readonly sign: string } | undefined
  for (const [index, node] of nodes.entries()) {
    const sign = node.value ?? ''
    if (node.type !== 'highlight') result.push(node)
    else if (open?.sign === sign && canClose(index)) {
      const inner = result.splice(open.start)
      result.push(elementNode('mark', {}, inner))
      open = undefined
    } else if (!open && /^[^\s=^]/.test(textAt(index + 1)) && (lastEnds.get(sign) ?? 0) > index)
      open = { start: result.length, sign }
    else result.push(textNode(sign))
  }
  return result
}

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
    else if (!hiddenKeys.test(key) && !timestampPattern.test(line.nodes.map(nodeText).join('').trim())) {
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
    if (node.type === 'break') lines.push({ nodes: [], separator: node })
    else if (node.type !== 'text') lines.at(-1)?.nodes.push(node)
    else
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
  return nodes.every((node) => node.type === 'text' && nodeText(node).trim() === '')
}
