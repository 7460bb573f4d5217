import type { Citation } from '#shared/markdown/citation.ts'
import { decodePart, encodePart } from '#shared/util/decode.ts'

/** Where a citation leads. */
export type LinkedPlace = Pick<Citation, 'path' | 'line'>

/** A citation as an address that passes through Markdown unharmed. */
export function citationHref({ path, line }: LinkedPlace): string {
  return `#cite:${encodePart(path)}${line === undefined ? '' : `:${line}`}`
}

export function parseCitationHref(href: string | undefined): LinkedPlace | undefined {
  const match = /^#cite:([^:]+)(?::(\d+))?$/.exec(href ?? '')
  return match?.[1] === undefined
    ? undefined
    : { path: decodePart(match[1]), line: match[2] === undefined ? undefined : Number(match[2]) }
}
