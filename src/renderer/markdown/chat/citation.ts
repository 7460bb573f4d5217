import type { Citation } from '#shared/markdown/citation.ts'
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
