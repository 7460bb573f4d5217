/**
 * Saves text verbatim below memory/rescued/ if a flush fails, one entry for each failure, so that a model can distil it
 * later. The entry remains; its heading then names the notes.
 *
 *   ## 10:03 - Kept word for word, waiting to be distilled
 *   <!-- rescued 7c0f… -->
 *   User: …
 *   <!-- end of 7c0f… -->
 */
import { randomUUID } from 'node:crypto'
import type { FileChange } from '#shared/util/file-change.ts'
import { orUndefined } from '#shared/util/errors.ts'
import { withVisibility } from '#shared/markdown/visibility-edit.ts'
import {
  localDate,
  localTime,
  verbatimFolder,
  verbatimFolders,
  pendingVerbatimTitle,
  type Workspace,
  type WriteOrigin,
} from '#workspace'

export interface VerbatimEntry {
  readonly path: string
  readonly id: string
  readonly text: string
  /** True if it comes from a private chat, or its file has private text. */
  readonly isPrivate: boolean
  /** True if the text comes from a chat with a local model; no remote model may read it. */
  readonly isForLocalModels: boolean
}

const preface =
  'Saving notes failed, so the conversation is saved here verbatim. Search covers it, but it is not loaded automatically.'
/** The end marker repeats the id, so the text of an entry may contain another entry. */
const entryPattern =
  /^## (\d\d:\d\d) - (Kept word for word[^\n]*)\r?\n<!-- rescued ([0-9a-f-]{36})( for local models)? -->\r?\n([\s\S]*?)\r?\n<!-- end of \3 -->$/gm

const privatePathPattern = /-private\.md$/i

/**
 * Appends an entry to the file of its day.
 * @param isForLocalModels as in `VerbatimEntry`
 * @throws AppError if the file cannot be written
 */
export async function appendVerbatimEntry(
  workspace: Workspace,
  origin: WriteOrigin,
  text: string,
  at: Date,
  isPrivate: boolean,
  isForLocalModels: boolean,
): Promise<FileChange> {
  const date = localDate(at)
  const id = randomUUID()
  const entry = `## ${localTime(at)} - ${pendingVerbatimTitle}\n<!-- rescued ${id}${isForLocalModels ? ' for local models' : ''} -->\n\n${text}\n\n<!-- end of ${id} -->\n`
  const path = `${verbatimFolder(workspace.layout)}/${date}${isPrivate ? '-private' : ''}.md`
  const write = await workspace.edit(path, origin, (before) => {
    if (before !== undefined) return `${before.trimEnd()}\n\n${entry}`
    const newFile = `# ${date}: rescued\n\n${preface}\n\n${entry}`
    return isPrivate ? withVisibility(newFile, true) : newFile
  })
  return workspace.describe(write)
}

/**
 * Returns the entries not distilled yet, oldest first in each folder. Skips unreadable files.
 * @param hasPrivateText by the marks in the text of a file and the rules for its path
 */
export async function pendingVerbatimEntries(
  workspace: Workspace,
  hasPrivateText: (path: string, text: string) => boolean,
): Promise<VerbatimEntry[]> {
  const paths = (await verbatimPaths(workspace)).filter((path) => path.endsWith('.md'))
  const entries: VerbatimEntry[] = []
  for (const path of paths) {
    const file = (await orUndefined(workspace.read(path))) ?? { text: '' }
    const isPrivate = privatePathPattern.test(path.normalize('NFKC')) || hasPrivateText(path, file.text)
    for (const [, , heading, id = '', forLocalModels, text = ''] of file.text.matchAll(entryPattern))
      if (heading === pendingVerbatimTitle)
        entries.push({ path, id, text: text.trim(), isPrivate, isForLocalModels: forLocalModels !== undefined })
  }
  return entries
}

/** Returns the files that may have entries; cheap, as it only lists files. */
export async function verbatimPaths(workspace: Workspace): Promise<string[]> {
  const folders = verbatimFolders(workspace.layout)
  const paths = folders.map(async (folder) => (await workspace.entryNames(folder)).map((name) => `${folder}/${name}`))
  return (await Promise.all(paths)).flat()
}

/** Marks an entry's heading as distilled. @param notes workspace-relative paths of the notes written; may be empty */
export async function markDistilled(
  workspace: Workspace,
  origin: WriteOrigin,
  { path, id }: VerbatimEntry,
  notes: readonly string[],
  at: Date,
): Promise<void> {
  const outcome = notes.length > 0 ? ` into ${[...new Set(notes)].join(', ')}` : '; nothing in it was worth a note'
  const newHeading = `Kept word for word, distilled on ${localDate(at)} ${localTime(at)}${outcome}`
  await workspace.edit(path, origin, (before = '') =>
    before.replaceAll(entryPattern, (entry, _time: string, heading: string, entryId: string) =>
      entryId === id ? entry.replace(heading, () => newHeading) : entry,
    ),
  )
}
