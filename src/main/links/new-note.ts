/**
 * Where a note is made that a link names and nobody has written yet: where the vault's own program would, whose settings
 * are read and never written; else beside the note with the link.
 */
import { join } from 'node:path'
import { folderOf, type NoteLink } from '../../shared/links/index.ts'
import { readSmallText } from '../files/index.ts'
import { isHidden, nameFor } from '../workspace/index.ts'

/** Of another program's settings, in bytes. */
const maxSettings = 1024 * 1024

export interface NewNotes {
  /** `beside` the linking note, or a folder of the workspace: empty for its top. */
  readonly folder: 'beside' | { readonly path: string }
  /** Logseq keeps no folders: `a/b` is the page `a___b`. */
  readonly isFlat?: boolean
}

/** @param files of the workspace */
export async function newNoteFolder(root: string, files: readonly { readonly path: string }[]): Promise<NewNotes> {
  const obsidian = await settingsOf(join(root, '.obsidian', 'app.json'))
  if (obsidian) {
    const { newFileLocation: place, newFileFolderPath: path } = obsidian
    if (place === 'current') return { folder: 'beside' }
    return { folder: { path: place === 'folder' && typeof path === 'string' ? folderPath(path) : '' } }
  }
  const isLogseq =
    (await readSmallText(join(root, 'logseq', 'config.edn'), maxSettings).catch(() => undefined)) !== undefined
  if (isLogseq || files.some(({ path }) => /^journals\/\d{4}_\d{2}_\d{2}\.md$/.test(path)))
    return { folder: { path: 'pages/' }, isFlat: true }
  return { folder: 'beside' }
}

function folderPath(path: string): string {
  const steps = path.split('/').filter((step) => step !== '' && step !== '.')
  return steps.length === 0 || steps.some(isHidden) ? '' : `${steps.join('/')}/`
}

async function settingsOf(file: string): Promise<Record<string, unknown> | undefined> {
  try {
    const text = await readSmallText(file, maxSettings)
    const settings: unknown = text === undefined ? undefined : JSON.parse(text)
    return typeof settings === 'object' && settings !== null ? { ...settings } : undefined
  } catch {
    return undefined
  }
}

/** @returns undefined for what is no note: another kind of file, one outside, one that is hidden */
export function newNoteOf(
  from: string,
  { kind, target }: Pick<NoteLink, 'kind' | 'target'>,
  habit: NewNotes,
): string | undefined {
  if (target === '' || /\.(?!(?:md|markdown)$)[a-z][a-z\d]{1,4}$/i.test(target) || target.endsWith('/'))
    return undefined
  const stem = target.replace(/\.(?:md|markdown)$/i, '')
  const isPath = kind !== 'wiki' || /^\.\.?\//.test(stem)
  const above = isPath
    ? folderOf(from)
    : stem.includes('/')
      ? ''
      : habit.folder === 'beside'
        ? folderOf(from)
        : habit.folder.path
  const isFlat = habit.isFlat === true && !isPath
  const flat = isFlat ? `pages/${stem.replaceAll('/', '___')}` : stem.startsWith('/') ? stem.slice(1) : above + stem
  const steps: string[] = []
  for (const step of flat.split('/')) {
    if (step === '..' && steps.length === 0) return undefined
    if (step === '..') steps.pop()
    else if (step !== '.' && step !== '') steps.push(nameFor(step, ''))
  }
  if (steps.length === 0 || steps.some((step) => step === '' || isHidden(step))) return undefined
  return `${steps.join('/')}.md`
}
