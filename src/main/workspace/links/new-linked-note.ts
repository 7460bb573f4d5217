import type { VaultConventions } from '#shared/contract/index.ts'
import { folderOf } from '#shared/markdown/links/resolve-link.ts'
import type { NoteLink } from '#shared/markdown/links/parse-links.ts'
import { isHiddenPath, toFileName } from '../files/file-names.ts'

export type NewNoteConventions = Pick<VaultConventions, 'newNotes' | 'isFlat'>

/**
 * Returns the path of the note that a broken link in `from` would create; undefined for other file types and for paths
 * that are hidden or outside the workspace.
 */
export function newNotePath(
  from: string,
  { kind, target }: Pick<NoteLink, 'kind' | 'target'>,
  conventions: NewNoteConventions,
): string | undefined {
  if (target === '' || /\.(?!(?:md|markdown)$)[a-z][a-z\d]{1,4}$/i.test(target) || target.endsWith('/'))
    return undefined
  const stem = target.replace(/\.(?:md|markdown)$/i, '')
  const { newNotes, isFlat } = conventions
  const newNoteFolder = newNotes === 'beside' ? folderOf(from) : newNotes.path === '' ? '' : `${newNotes.path}/`
  const isPath = kind !== 'wiki' || /^\.\.?\//.test(stem)
  let path: string
  if (isFlat && !isPath) path = newNoteFolder + stem.replaceAll('/', '___')
  else if (stem.startsWith('/')) path = stem.slice(1)
  else if (isPath) path = folderOf(from) + stem
  else path = stem.includes('/') ? stem : newNoteFolder + stem
  const segments: string[] = []
  for (const segment of path.split('/')) {
    if (segment === '..' && segments.length === 0) return undefined
    if (segment === '..') segments.pop()
    else if (segment !== '.' && segment !== '') segments.push(toFileName(segment, ''))
  }
  if (segments.length === 0 || segments.includes('') || isHiddenPath(segments)) return undefined
  return `${segments.join('/')}.md`
}
