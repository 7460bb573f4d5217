const scheme = 'note://'

/** @param path workspace-relative @param line 1-based; undefined for the whole note */
export function noteUri(path: string, line?: number): string {
  const encoded = path.split('/').map(encodeURIComponent).join('/')
  return `${scheme}${encoded}${line === undefined ? '' : `#L${line}`}`
}

/** Returns the workspace-relative path, without the line; undefined if the URI is not the URI of a note. */
export function pathOfUri(uri: string): string | undefined {
  if (!uri.startsWith(scheme)) return undefined
  try {
    const path = decodeURIComponent(uri.slice(scheme.length).replace(/#.*$/s, ''))
    return path === '' ? undefined : path
  } catch {
    return undefined
  }
}
