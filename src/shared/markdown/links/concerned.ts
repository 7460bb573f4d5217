import type { NoteLink } from './parse-links.ts'
import { pageNames } from './pages.ts'
import { baseOf, keyOf, type KnownFile } from './resolve-link.ts'

/** However many: `a.md.md` is meant by `a.md`, too. */
const endings = /(?:\.(?:md|markdown))+$/i
/** The note that a folder means. */
const index = /^(?:index|readme)$/

/**
 * By names alone: what leads to a file, and what leads elsewhere because of it, has its name, one of its other names, or
 * that of the folder that it stands for.
 * @param files that are moved, where they were and where they are
 */
export function concernedBy(files: Iterable<KnownFile>): (link: Pick<NoteLink, 'target'>) => boolean {
  const keys = new Set<string>()
  for (const { path, names = [] } of files) {
    const key = lastKey(path)
    keys.add(key)
    if (index.test(key)) keys.add(lastKey(path.slice(0, path.lastIndexOf('/') + 1).replace(/\/$/, '')))
    for (const name of [...pageNames(path), ...names]) keys.add(keyOf(name))
  }
  return ({ target }) => {
    const path = target.replaceAll('\\', '/')
    // What is decoded, or names no file by its last step, may be any.
    if (path.includes('%') || /(?:^|\/)\.{0,2}$/.test(path)) return true
    return keys.has(lastKey(path)) || keys.has(keyOf(path))
  }
}

function lastKey(path: string): string {
  return keyOf(baseOf(path).replace(endings, ''))
}
