/** Addresses of the views; everything that can be linked to has one. */
export const paths = {
  chat: (session?: string) => (session === undefined ? '/' : `/chat/${session}`),
  file: (path: string, line?: number) =>
    `/file/${path.split('/').map(encodeURIComponent).join('/')}${line === undefined ? '' : `#L${line}`}`,
  search: (query?: string) => (query ? `/search?q=${encodeURIComponent(query)}` : '/search'),
  context: (session?: string) => (session === undefined ? '/context' : `/context/${session}`),
} as const

/** `#L12` → 12. */
export function lineOfHash(hash: string): number | undefined {
  const line = /^#L(\d+)$/.exec(hash)?.[1]
  return line === undefined ? undefined : Number(line)
}
