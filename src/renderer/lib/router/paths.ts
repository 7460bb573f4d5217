import { useSyncExternalStore } from 'react'
import { decodePart, encodePart } from '#shared/util/decode.ts'

/** A line of a file, 1-based. */
export interface Place {
  readonly path: string
  readonly line: number
}

/** Some lines of a file, 1-based, the last one included. */
export interface Lines {
  readonly path: string
  readonly startLine: number
  readonly endLine: number
}

interface Paths {
  chat(session?: string, message?: string): string
  file(path: string, line?: number): string
  source(path: string, line?: number): string
  search(query?: string, why?: Place): string
  recalls(message?: string): string
  checks(): string
  context(session?: string): string
  settings(section?: string): string
  changes(): string
  find(): string
  brokenLinks(): string
  inbox(proposal?: string): string
  forget(): string
  capture(): string
}

/** Addresses of the views; everything that can be linked to has one. */
export const paths: Paths = {
  chat: (session?: string, message?: string) =>
    session === undefined ? '/' : `/chat/${encodePart(session)}${message === undefined ? '' : `#m-${message}`}`,
  file: (path: string, line?: number) =>
    `/file/${path.split('/').map(encodePart).join('/')}${line === undefined ? '' : `#L${line}`}`,
  /** A result's or citation's own view: a conversation for a transcript, else the file. */
  source: (path: string, line?: number) => {
    const session = sessionOfPath(path)
    return session === undefined ? paths.file(path, line) : paths.chat(session)
  },
  /** With a place: what becomes of that line. */
  search: (query?: string, why?: Place) => {
    const parameters = new URLSearchParams()
    if (query) parameters.set('q', query)
    if (why) parameters.set('why', formatPlace(why))
    return parameters.size === 0 ? '/search' : `/search?${parameters}`
  },
  settings: (section?: string) => (section === undefined ? '/settings' : `/settings#${section}`),
  /** With a message of the user: what was looked for to answer it. */
  recalls: (message?: string) =>
    message === undefined ? '/search/recalls' : `/search/recalls?${new URLSearchParams({ message })}`,
  checks: () => '/search/checks',
  changes: () => '/changes',
  find: () => '/find',
  brokenLinks: () => '/links/broken',
  /** With a proposal: the one that is shown. */
  inbox: (proposal?: string) => (proposal === undefined ? '/inbox' : `/inbox?${new URLSearchParams({ proposal })}`),
  forget: () => '/forget',
  capture: () => '/capture',
  context: (session?: string) => (session === undefined ? '/context' : `/context/${encodePart(session)}`),
}

/** `sessions/1a2b.jsonl` → the conversation; undefined for another file. */
export function sessionOfPath(path: string): string | undefined {
  return /^sessions\/([^/]+)\.jsonl$/.exec(path)?.[1]
}

export function formatPlace({ path, line }: Place): string {
  return `${path}:${line}`
}

/** `memory/a.md:12–14`, as it is shown. */
export function formatLines({ path, startLine, endLine }: Lines): string {
  return startLine === endLine ? `${path}:${startLine}` : `${path}:${startLine}–${endLine}`
}

/** `memory/a.md:12` → its parts; a path alone means its first line. Undefined for nothing. */
export function parsePlace(text: string): Place | undefined {
  const [, path = '', line] = /^\s*(.+?)(?::(\d+)(?:[-–]\d+)?)?\s*$/.exec(text) ?? []
  return path === '' ? undefined : { path, line: Math.max(1, Number(line ?? 1)) }
}

/** `memory/a.md:12-14` → its parts. Undefined for what names no line. */
export function parseLines(text: string): Lines | undefined {
  const [, path = '', first, last] = /^\s*(.+?):(\d+)(?:[-–](\d+))?\s*$/.exec(text) ?? []
  const startLine = Math.max(1, Number(first))
  return path === '' ? undefined : { path, startLine, endLine: Math.max(startLine, Number(last ?? first)) }
}

/** The fragment of the address, with its `#`; follows it as it changes. */
export function useHash(): string {
  return useSyncExternalStore(onPlaceChange, () => location.hash)
}

/**
 * The path of the address, still encoded. The router decodes what it hands out, so that a name with a `%` in it could not
 * be told from an encoded one; what a path means is asked of `fileAt` and `sessionAt`.
 */
export function usePlace(): string {
  return useSyncExternalStore(onPlaceChange, () => location.pathname)
}

/** The parameters of the address, decoded once. */
export function useParameters(): URLSearchParams {
  return new URLSearchParams(useSyncExternalStore(onPlaceChange, () => location.search))
}

function onPlaceChange(listener: () => void): () => void {
  const events = ['hashchange', 'popstate', 'pushState', 'replaceState'] as const
  for (const event of events) addEventListener(event, listener)
  return () => {
    for (const event of events) removeEventListener(event, listener)
  }
}

/** The file that an address shows; undefined for another view. @param place encoded, from `usePlace` */
export function fileAt(place: string): string | undefined {
  const encoded = /^\/file\/(.+)$/.exec(place)?.[1]
  return encoded?.split('/').map(decodePart).join('/')
}

/** The conversation that an address shows or tells the context of. @param place encoded, from `usePlace` */
export function sessionAt(place: string): string | undefined {
  const encoded = /^\/(?:chat|context)\/([^/]+)/.exec(place)?.[1]
  return encoded === undefined ? undefined : decodePart(encoded)
}

/** Whether an address shows a file. @param place encoded, from `usePlace` */
export function isFileAt(place: string, path: string): boolean {
  return fileAt(place) === path
}

/** `#m-1a2b` → the entry of a message. */
export function messageOfHash(hash: string): string | undefined {
  return /^#m-([\w-]+)$/.exec(hash)?.[1]
}

/** `#L12` → 12. */
export function lineOfHash(hash: string): number | undefined {
  const line = /^#L(\d+)$/.exec(hash)?.[1]
  return line === undefined ? undefined : Number(line)
}
