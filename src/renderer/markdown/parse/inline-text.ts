import { splitCitations } from '#shared/markdown/citation.ts'
import { decodeAddress } from '#shared/util/decode.ts'
import { splitTags } from '#shared/markdown/properties/parse-properties.ts'
import { citationHref } from '../chat/citation.ts'
import { nameHref } from '../chat/wiki-link.ts'
import { elementNode, plainText, textNode, type MarkdownNode } from './mdast.ts'

const name = String.raw`(!?)\[\[(?!\]\]|\|)([^[\]|#\n]*)(#[^[\]|\n]*)?(?:\|([^\n]*?))?\]\]`
/** Logseq: `[label]([[Page]])`, and images whose address has spaces without `<…>`. */
const labelled = String.raw`\[([^[\]\n]{1,200})\]\(\[\[([^[\]\n]{1,500})\]\]\)`
const spaced = String.raw`!\[([^[\]\n]{0,200})\]\(([^()<>\n]{1,500}\.[A-Za-z\d]{2,5})\)(?:\{:[^{}\n]*?:?width\s+(\d+)[^{}\n]*\})?`
const special = new RegExp(
  String.raw`${name}|${labelled}|${spaced}|\[\^([^[\]\s]{1,100})\]|\{\{([^{}\n]{1,500})\}\}|\(\(([\da-f]{8}-[\da-f-]{27})\)\)|\^\[[ \t]*((?:local|web:|mcp:|file:|agent:|import:)[^\]\n]{0,300})\]|(==|\^\^)`,
  'g',
)

/** Logseq macros for videos and posts, which become a link. */
const videoMacro = /^(?:video|youtube|vimeo|bilibili|tweet|twitter)\s+(https?:\S+)$/i

/** Transforms the inline nodes of a paragraph, heading or cell. Link texts stay unchanged. */
export function transformInline(nodes: readonly MarkdownNode[]): MarkdownNode[] {
  const split = withWholeMacros(withWholeNames(nodes)).flatMap((node): MarkdownNode[] => {
    if (node.type === 'text') return splitText(node.value ?? '')
    const page = node.type === 'link' ? /^\[\[([^[\]]+)\]\]$/.exec(node.url ?? '')?.[1] : undefined
    if (page !== undefined) return [{ ...node, url: nameHref(page) }]
    const block = node.type === 'link' ? /^\(\(([\da-f-]{36})\)\)$/.exec(node.url ?? '')?.[1] : undefined
    if (block !== undefined) return [elementNode('block-reference', { dataTarget: block, dataLabel: plainText(node) })]
    if (node.children && node.type !== 'link' && node.type !== 'linkReference')
      return [{ ...node, children: transformInline(node.children) }]
    return [node]
  })
  return withHighlights(split)
}

/**
 * Restores `[[name]]` in notes that also define `[name]: address` (Foam does): the parser made a link of the
 * inner brackets.
 */
function withWholeNames(nodes: readonly MarkdownNode[]): MarkdownNode[] {
  const result: MarkdownNode[] = []
  for (const [index, node] of nodes.entries()) {
    const before = result.at(-1)
    const after = nodes[index + 1]
    const isInner =
      node.type === 'linkReference' &&
      before?.type === 'text' &&
      before.value?.endsWith('[') === true &&
      after?.type === 'text' &&
      after.value?.startsWith(']') === true
    if (isInner) result[result.length - 1] = textNode(`${before.value}[${node.label ?? plainText(node)}]`)
    else if (node.type === 'text' && before?.type === 'text' && nodes[index - 1]?.type === 'linkReference')
      result[result.length - 1] = textNode(`${before.value}${node.value}`)
    else result.push(node)
  }
  return result
}

/** Restores `{{video https://…}}`: the parser made a link of the address, with or without the closing braces. */
function withWholeMacros(nodes: readonly MarkdownNode[]): MarkdownNode[] {
  const result: MarkdownNode[] = []
  for (const node of nodes) {
    const before = result.at(-1)
    const opens = before?.type === 'text' && /\{\{[^{}\n]*$/.test(before.value ?? '')
    const address = opens && node.type === 'link' ? plainText(node) : ''
    if (before && address !== '' && /^https?:/.test(address)) before.value = `${before.value ?? ''}${address}`
    else if (before && opens && node.type === 'text') before.value = `${before.value ?? ''}${node.value ?? ''}`
    else result.push(node.type === 'text' ? { ...node } : node)
  }
  return result
}

function splitText(text: string): MarkdownNode[] {
  const nodes: MarkdownNode[] = []
  let from = 0
  for (const match of text.matchAll(special)) {
    if (match.index > from) nodes.push(...withCitations(text.slice(from, match.index)))
    nodes.push(nodeOf(match))
    from = match.index + match[0].length
  }
  if (from < text.length) nodes.push(...withCitations(text.slice(from)))
  return nodes
}

function nodeOf(match: RegExpExecArray): MarkdownNode {
  const [, embeds, target, part = '', label, text, page, alt, address, width, footnote, macro, reference, mark, sign] =
    match
  if (target !== undefined) {
    const whole = target.trim() + part
    const shown = label?.trim() || undefined
    if (embeds) return elementNode('note-embed', { dataTarget: whole, dataLabel: shown })
    return { type: 'link', url: nameHref(whole), children: [textNode(shown ?? whole)] }
  }
  if (page !== undefined) return { type: 'link', url: nameHref(page), children: [textNode(text ?? page)] }
  if (address !== undefined)
    return {
      type: 'image',
      url: encodeURI(decodeAddress(address.trim())),
      alt: width === undefined ? (alt ?? '') : `${alt}|${width}`,
    }
  if (footnote !== undefined) return elementNode('foot-note', { dataLabel: footnote })
  const block = macro === undefined ? undefined : /^embed\s+(\(\([\da-f-]{36}\)\))$/i.exec(macro.trim())?.[1]
  if (block !== undefined) return elementNode('note-embed', { dataTarget: block })
  const film = macro === undefined ? undefined : videoMacro.exec(macro.trim())?.[1]
  if (film !== undefined) return elementNode('web-page', { dataAddress: film })
  const embedded = macro === undefined ? undefined : /^embed\s+\[\[([^[\]|]+)\]\]$/i.exec(macro.trim())?.[1]
  if (embedded !== undefined) return elementNode('note-embed', { dataTarget: embedded.trim() })
  if (macro !== undefined) return elementNode('quiet-macro', { dataText: macro.trim() })
  if (reference !== undefined) return elementNode('block-reference', { dataTarget: reference })
  if (mark !== undefined) return elementNode('line-mark', { dataText: mark.trim() })
  return { type: 'highlight', value: sign ?? '' }
}

function withCitations(text: string): MarkdownNode[] {
  return splitCitations(text).flatMap((part) =>
    typeof part === 'string'
      ? splitTags(part).map((one) =>
          typeof one === 'string' ? textNode(one) : elementNode('note-tag', { dataText: one.tag }),
        )
      : { type: 'link', url: citationHref(part), children: [textNode(part.path)] },
  )
}

/** Marks the text between two `==`, or `^^` in Logseq. A single one stays text. */
function withHighlights(nodes: readonly MarkdownNode[]): MarkdownNode[] {
  if (!nodes.some(({ type }) => type === 'highlight')) return [...nodes]
  const wordsAt = (at: number) => nodes[at]?.value ?? (nodes[at] ? 'x' : ' ')
  const mayClose = (at: number) => /\S$/.test(wordsAt(at - 1))
  const ends = new Map<string, number>()
  for (const [index, { type, value }] of nodes.entries())
    if (type === 'highlight' && mayClose(index)) ends.set(value ?? '', index)
  const result: MarkdownNode[] = []
  let open: { readonly at: number; readonly sign: string } | undefined
  for (const [index, node] of nodes.entries()) {
    const sign = node.value ?? ''
    if (node.type !== 'highlight') result.push(node)
    else if (open?.sign === sign && mayClose(index)) {
      const inner = result.splice(open.at)
      result.push(elementNode('mark', {}, inner))
      open = undefined
    } else if (!open && /^[^\s=^]/.test(wordsAt(index + 1)) && (ends.get(sign) ?? 0) > index)
      open = { at: result.length, sign }
    else result.push(textNode(sign))
  }
  return result
}
