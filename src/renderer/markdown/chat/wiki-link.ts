import { decodePart, encodePart } from '#shared/util/decode.ts'
import { splitTarget, type LinkTarget } from '#shared/markdown/links/link-target.ts'

export interface NamedLink {
  /** Includes the fragment. */
  readonly target: string
  readonly label: string
}

/** Splits a text into plain text and wikilinks, in order. */
export function splitWikiLinks(text: string): (string | NamedLink)[] {
  const parts: (string | NamedLink)[] = []
  let from = 0
  for (const match of text.matchAll(/\[\[(?!\]\]|\|)([^[\]|#\n]*)(#[^[\]|\n]*)?(?:\|([^[\]\n]*))?\]\]/g)) {
    const [whole, name = '', fragment = '', label] = match
    if (match.index > from) parts.push(text.slice(from, match.index))
    parts.push({ target: name.trim() + fragment, label: label?.trim() || name.trim() + fragment })
    from = match.index + whole.length
  }
  if (from < text.length) parts.push(text.slice(from))
  return parts
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
