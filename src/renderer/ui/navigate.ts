interface Paths {
  chat(session?: string): string
  file(path: string, line?: number): string
  source(path: string, line?: number): string
  search(query?: string): string
  context(session?: string): string
}

/** Addresses of the views; everything that can be linked to has one. */
export const paths: Paths = {
  chat: (session?: string) => (session === undefined ? '/' : `/chat/${session}`),
  file: (path: string, line?: number) =>
    `/file/${path.split('/').map(encodeURIComponent).join('/')}${line === undefined ? '' : `#L${line}`}`,
  /** A result's or citation's own view: a conversation for a transcript, else the file. */
  source: (path: string, line?: number) => {
    const session = /^sessions\/([^/]+)\.jsonl$/.exec(path)?.[1]
    return session === undefined ? paths.file(path, line) : paths.chat(session)
  },
  search: (query?: string) => (query ? `/search?q=${encodeURIComponent(query)}` : '/search'),
  context: (session?: string) => (session === undefined ? '/context' : `/context/${session}`),
}

/** `#L12` → 12. */
export function lineOfHash(hash: string): number | undefined {
  const line = /^#L(\d+)$/.exec(hash)?.[1]
  return line === undefined ? undefined : Number(line)
}
