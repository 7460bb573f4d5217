import { useSyncExternalStore } from 'react'

interface Paths {
  chat(session?: string, message?: string): string
  file(path: string, line?: number): string
  source(path: string, line?: number): string
  search(query?: string): string
  recalls(): string
  context(session?: string): string
  settings(section?: string): string
  changes(): string
  find(): string
  capture(): string
}

/** Addresses of the views; everything that can be linked to has one. */
export const paths: Paths = {
  chat: (session?: string, message?: string) =>
    session === undefined ? '/' : `/chat/${session}${message === undefined ? '' : `#m-${message}`}`,
  file: (path: string, line?: number) =>
    `/file/${path.split('/').map(encodeURIComponent).join('/')}${line === undefined ? '' : `#L${line}`}`,
  /** A result's or citation's own view: a conversation for a transcript, else the file. */
  source: (path: string, line?: number) => {
    const session = /^sessions\/([^/]+)\.jsonl$/.exec(path)?.[1]
    return session === undefined ? paths.file(path, line) : paths.chat(session)
  },
  search: (query?: string) => (query ? `/search?q=${encodeURIComponent(query)}` : '/search'),
  settings: (section?: string) => (section === undefined ? '/settings' : `/settings#${section}`),
  recalls: () => '/search/recalls',
  changes: () => '/changes',
  find: () => '/find',
  capture: () => '/capture',
  context: (session?: string) => (session === undefined ? '/context' : `/context/${session}`),
}

/** The fragment of the address, with its `#`; follows it as it changes. */
export function useHash(): string {
  return useSyncExternalStore(onHashChange, () => location.hash)
}

function onHashChange(listener: () => void): () => void {
  const events = ['hashchange', 'popstate', 'pushState', 'replaceState'] as const
  for (const event of events) addEventListener(event, listener)
  return () => {
    for (const event of events) removeEventListener(event, listener)
  }
}

/** Whether an address shows a file; the router decodes addresses that it hands out. */
export function isFileAt(location: string, path: string): boolean {
  return location === `/file/${path}` || location === paths.file(path)
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
