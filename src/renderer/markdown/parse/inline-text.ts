import { splitCitations } from '#shared/markdown/citation.ts'
import { decodeAddress } from '#shared/util/decode.ts'
import { splitTags } from '#shared/markdown/properties/parse-properties.ts'
import { splitText } from '#shared/markdown/split-text.ts'
import { citationHref, nameHref } from './link-addresses.ts'
import { elementNode, linkNode, plainText, textNode, type MarkdownNode } from './mdast.ts'

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

/** Transforms the inline nodes of a paragraph, heading or cell. Link texts stay unchanged. */
export function transformInline(nodes: readonly MarkdownNode[]): MarkdownNode[] {
  const transformed = restoreMacros(restoreWikiLinks(nodes)).flatMap((node): MarkdownNode[] => {
    if (node.type === 'text')
      return splitText(node.value ?? '', specialSyntax, specialNode).flatMap((part) =>
        typeof part === 'string' ? parseCitations(part) : [part],
      )
    const page = node.type === 'link' ? /^\[\[([^[\]]+)\]\]$/.exec(node.url ?? '')?.[1] : undefined
    if (page !== undefined) return [{ ...node, url: nameHref(page) }]
    const block = node.type === 'link' ? /^\(\(([\da-f-]{36})\)\)$/.exec(node.url ?? '')?.[1] : undefined
    if (block !== undefined) return [elementNode('block-reference', { dataTarget: block, dataLabel: plainText(node) })]
    if (node.children && node.type !== 'link' && node.type !== 'linkReference')
      return [{ ...node, children: transformInline(node.children) }]
    return [node]
  })
  return convertHighlights(transformed)
}

/**
 * Restores `[[name]]` in notes that also define `[name]: address` (Foam does): the parser made a link of the
 * inner brackets.
 */
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
    if (isInner) result[result.length - 1] = textNode(`${previous.value}[${node.label ?? plainText(node)}]`)
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
    const address = isMacroOpen && node.type === 'link' ? plainText(node) : ''
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
  /** Last index at which each sign can close a highlight. */
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
