/** Addresses of citations and wikilinks in the parsed Markdown. */
import type { Citation } from '#shared/markdown/citation.ts'
import { splitTarget, type LinkTarget } from '#shared/markdown/links/link-target.ts'
import { splitText } from '#shared/markdown/split-text.ts'
import { decodePart, encodePart } from '#shared/util/decode.ts'

/** The target of a citation; `line` is 1-based. */
export type LinkedPlace = Pick<Citation, 'path' | 'line'>

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

/** Encodes a name as an address that Markdown does not change. */
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
