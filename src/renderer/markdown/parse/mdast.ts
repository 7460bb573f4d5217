import { splitText, type Citation } from '#shared/markdown/citation.ts'
import { type LinkTarget, splitTarget } from '#shared/markdown/links/parse-links.ts'
import { decodePart, encodePart } from '#shared/util/decode.ts'

/** The part of mdast that the plugins use, with the `data` that controls the conversion to hast. */
export interface MarkdownNode {
  type: string
  value?: string
  url?: string
  alt?: string | null
  title?: string | null
  label?: string | null
  lang?: string | null
  checked?: boolean | null
  children?: MarkdownNode[]
  data?: { hName?: string; hProperties?: Record<string, unknown> }
  position?: unknown
}

export function textNode(value: string): MarkdownNode {
  return { type: 'text', value }
}

export function linkNode(url: string, label: string): MarkdownNode {
  return { type: 'link', url, children: [textNode(label)] }
}

/** Creates a node that renders as a custom element (`preview-elements.tsx`). */
export function elementNode(
  name: string,
  properties: Record<string, unknown>,
  children: MarkdownNode[] = [],
): MarkdownNode {
  return { type: name, children, data: { hName: name, hProperties: properties } }
}

export function nodeText(node: MarkdownNode): string {
  return node.value ?? node.alt ?? (node.children ?? []).map(nodeText).join('')
}

/** The target of a citation; `line` is 1-based. */
type LinkedPlace = Pick<Citation, 'path' | 'line'>

/** Encodes a citation as an address that Markdown does not change. */
export function citationHref({ path, line }: LinkedPlace): string {
  return `#cite:${encodePart(path)}${line === undefined ? '' : `:${line}`}`
}

/** @returns undefined if the address is not from `citationHref` */
export function parseCitationHref(href: string | undefined): LinkedPlace | undefined {
  const match = /^#cite:([^:]+)(?::(\d+))?$/.exec(href ?? '')
  return match?.[1] === undefined
    ? undefined
    : { path: decodePart(match[1]), line: match[2] === undefined ? undefined : Number(match[2]) }
}

/** Splits a text into plain text and wikilinks, in order. `target` includes the fragment. */
export function splitWikiLinks(text: string): (string | { readonly target: string; readonly label: string })[] {
  const pattern = /\[\[(?!\]\]|\|)([^[\]|#\n]*)(#[^[\]|\n]*)?(?:\|([^[\]\n]*))?\]\]/g
  return splitText(text, pattern, ([, name = '', fragment = '', label]) => {
    const target = name.trim() + fragment
    return { target, label: label?.trim() || target }
  })
}

export function nameHref(target: string): string {
  return `#name:${encodePart(target)}`
}

/** @returns undefined if the address is not from `nameHref` */
export function parseNameHref(href: string | undefined): LinkTarget | undefined {
  const name = /^#name:(.+)$/.exec(href ?? '')?.[1]
  return name === undefined ? undefined : splitTarget(decodePart(name))
}

/** Decodes a relative address. @returns undefined for an empty address or one with a scheme or host */
export function decodeTarget(href = ''): LinkTarget | undefined {
  if (href === '' || /^(?:[a-z][a-z\d+.-]*:|\/\/)/i.test(href)) return undefined
  // Split before decoding: an encoded `%23` is part of the name.
  const { target, fragment } = splitTarget(href)
  return { target: decodePart(target), ...(fragment === undefined ? {} : { fragment: decodePart(fragment) }) }
}
