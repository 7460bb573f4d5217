import { useMemo } from 'react'
import { useHistoryState, useLocationProperty } from 'wouter/use-browser-location'
import { decodePart, encodePart } from '#shared/util/decode.ts'
import { sessionOfPath } from '#shared/util/agent-files.ts'
import type { LinesOfFile } from '#shared/util/file-lines.ts'

export { navigate } from 'wouter/use-browser-location'

export interface FileLine {
  readonly path: string
  /** 1-based. */
  readonly line: number
}

export const paths = {
  chat: (session?: string, message?: string) =>
    session === undefined ? '/' : `/chat/${encodePart(session)}${message === undefined ? '' : `#m-${message}`}`,
  file: (path: string, startLine?: number, endLine?: number) =>
    `/file/${path.split('/').map(encodePart).join('/')}${formatHash(startLine, endLine)}`,
  /** The view of a search result or citation: the chat for a transcript, else the file. */
  source: (path: string, startLine?: number, endLine?: number): string => {
    const session = sessionOfPath(path)
    return session === undefined ? paths.file(path, startLine, endLine) : paths.chat(session)
  },
  search: (query?: string) => withParameters('/search', { q: query }),
  settings: (section?: string) => (section === undefined ? '/settings' : `/settings#${section}`),
  /** The requests of a chat. @param session undefined for the next new chat */
  sent: (session?: string) => (session === undefined ? '/inspect/sent' : `/inspect/sent/${encodePart(session)}`),
  /** All candidates of a search. @param why a line whose ranking is explained */
  found: (query?: string, why?: FileLine) =>
    withParameters('/inspect/found', { q: query, why: why && `${why.path}:${why.line}` }),
  /** @param message id of a user message; shows the searches made to answer it */
  recalls: (message?: string) => withParameters('/inspect/recalls', { message }),
  checks: () => '/inspect/tested',
  changes: () => '/changes',
  find: () => '/find',
  brokenLinks: () => '/links/broken',
  inbox: (suggestion?: string) => withParameters('/inbox', { proposal: suggestion }),
  forget: () => '/forget',
  capture: () => '/capture',
}

function withParameters(path: string, values: Record<string, string | undefined>): string {
  const parameters = new URLSearchParams(
    Object.entries(values).flatMap(([name, value]) => (value ? [[name, value]] : [])),
  )
  return parameters.size === 0 ? path : `${path}?${parameters}`
}

/** Formats lines for display, such as `memory/a.md:12–14`. */
export function formatLines({ path, startLine, endLine }: LinesOfFile): string {
  return startLine === endLine ? `${path}:${startLine}` : `${path}:${startLine}–${endLine}`
}

/** Parses `memory/a.md:12`. The line is 1 if it is missing; a range keeps its first line. Undefined for an empty text. */
export function parsePlace(text: string): FileLine | undefined {
  const [, path = '', line] = /^\s*(.+?)(?::(\d+)(?:[-–]\d+)?)?\s*$/.exec(text) ?? []
  return path === '' ? undefined : { path, line: Math.max(1, Number(line ?? 1)) }
}

/** Returns the fragment of the address with its `#`. */
export function useHash(): string {
  return useLocationProperty(() => location.hash)
}

/**
 * Returns the path of the address, still encoded. The router decodes its paths, so a file name with a `%` would be
 * ambiguous; decode with `fileAt` and `sessionAt` instead.
 */
export function useEncodedPath(): string {
  return useLocationProperty(() => location.pathname)
}

export function useParameters(): URLSearchParams {
  return new URLSearchParams(useLocationProperty(() => location.search))
}

/** Returns the file that an address shows; undefined for another view. @param encodedPath from `useEncodedPath` */
export function fileAt(encodedPath: string): string | undefined {
  const encoded = /^\/file\/(.+)$/.exec(encodedPath)?.[1]
  return encoded?.split('/').map(decodePart).join('/')
}

/** Returns the session whose chat or requests an address shows, or undefined. @param encodedPath from `useEncodedPath` */
export function sessionAt(encodedPath: string): string | undefined {
  const encoded = /^\/(?:chat|inspect\/sent)\/([^/]+)/.exec(encodedPath)?.[1]
  return encoded === undefined ? undefined : decodePart(encoded)
}

/** Parses `#m-1a2b`. */
export function messageOfHash(hash: string): string | undefined {
  return /^#m-([\w-]+)$/.exec(hash)?.[1]
}

function formatHash(startLine: number | undefined, endLine = startLine): string {
  if (startLine === undefined) return ''
  return startLine === endLine ? `#L${startLine}` : `#L${startLine}-${endLine}`
}

/** Parses `#L12` or `#L12-14`. */
export function linesOfHash(hash: string): Omit<LinesOfFile, 'path'> | undefined {
  const [, first, last = first] = /^#L(\d+)(?:-(\d+))?$/.exec(hash) ?? []
  return first === undefined ? undefined : { startLine: Number(first), endLine: Math.max(Number(first), Number(last)) }
}

export interface MarkedLines extends Omit<LinesOfFile, 'path'> {
  readonly words: readonly string[]
}

export type FileLinkState = Pick<MarkedLines, 'words'>

export function useMarkedLines(): MarkedLines | undefined {
  const hash = useHash()
  const state = useHistoryState<FileLinkState | null>()
  return useMemo(() => {
    const lines = linesOfHash(hash)
    return lines && { ...lines, words: state?.words ?? [] }
  }, [hash, state])
}
