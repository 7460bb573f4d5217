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
  const { newNotes } = conventions
  const newNoteFolder = newNotes === 'beside' ? folderOf(from) : newNotes.path === '' ? '' : `${newNotes.path}/`
  const isPath = kind !== 'wiki' || /^\.\.?\//.test(stem)
  const above = isPath ? folderOf(from) : stem.includes('/') ? '' : newNoteFolder
  const isFlat = conventions.isFlat && !isPath
  const flat = isFlat
    ? newNoteFolder + stem.replaceAll('/', '___')
    : stem.startsWith('/')
      ? stem.slice(1)
      : above + stem
  const steps: string[] = []
  for (const step of flat.split('/')) {
    if (step === '..' && steps.length === 0) return undefined
    if (step === '..') steps.pop()
    else if (step !== '.' && step !== '') steps.push(toFileName(step, ''))
  }
  if (steps.length === 0 || steps.includes('') || isHiddenPath(steps)) return undefined
  return `${steps.join('/')}.md`
}
