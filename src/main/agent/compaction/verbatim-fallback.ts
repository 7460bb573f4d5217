/**
 * Words that no flush could read: kept verbatim below memory/rescued/, an entry for each failure, until a model
 * answers again and has distilled them. Nothing is removed then either: the entry says what became of it.
 *
 *   ## 10:03 - Kept word for word, waiting to be distilled
 *   <!-- rescued 7c0f… -->
 *   User: …
 *   <!-- end of 7c0f… -->
 */
import { randomUUID } from 'node:crypto'
import type { FileChange } from '#shared/util/file-change.ts'
import { AppError } from '#shared/util/errors.ts'
import { withVisibility } from '#shared/markdown/visibility-edit.ts'
import {
  localDate,
  localTime,
  rescuedFolder,
  rescuedFolders,
  rescuedWaiting as waiting,
  type Workspace,
  type WriteOrigin,
} from '#workspace'

export interface Rescued {
  readonly path: string
  readonly id: string
  readonly text: string
  /** It stays on this machine. */
  readonly isLocal: boolean
}

const preface =
  'Saving notes failed, so the words themselves are kept here. They are searched, and not loaded by themselves.'
/** An entry may quote another one: whoever reads them in order never looks inside. */
const entry =
  /^## (\d\d:\d\d) - (Kept word for word[^\n]*)\r?\n<!-- rescued ([0-9a-f-]{36}) -->\r?\n([\s\S]*?)\r?\n<!-- end of \3 -->$/gm

/** What local notes went into lies in files of their own. */
const localEnding = '-local.md'

/** @param isLocal local notes went into it @throws AppError when the disk does not take it */
export async function rescue(
  workspace: Workspace,
  origin: WriteOrigin,
  text: string,
  at: Date,
  isLocal: boolean,
): Promise<FileChange> {
  const date = localDate(at)
  const id = randomUUID()
  const added = `## ${localTime(at)} - ${waiting}\n<!-- rescued ${id} -->\n\n${text}\n\n<!-- end of ${id} -->\n`
  const path = `${rescuedFolder(workspace.layout)}/${date}${isLocal ? localEnding : '.md'}`
  const write = await workspace.edit(path, origin, (before) => {
    if (before !== undefined) return `${before.trimEnd()}\n\n${added}`
    const begun = `# ${date}: rescued\n\n${preface}\n\n${added}`
    return isLocal ? withVisibility(begun, true) : begun
  })
  return workspace.describe(write)
}

/** True when there may be something to distil; looked at after every answer. */
export async function hasRescues(workspace: Workspace): Promise<boolean> {
  return (await rescuedIn(workspace)).length > 0
}

/** What waits to be distilled, oldest first. Files that cannot be read are left alone. */
export async function waitingRescues(workspace: Workspace): Promise<Rescued[]> {
  const paths = (await rescuedIn(workspace)).filter((path) => path.endsWith('.md'))
  const found: Rescued[] = []
  for (const path of paths) {
    for (const [, , heading, id = '', text = ''] of (await textOf(workspace, path)).matchAll(entry))
      if (heading === waiting) found.push({ path, id, text: text.trim(), isLocal: path.endsWith(localEnding) })
  }
  return found
}

async function rescuedIn(workspace: Workspace): Promise<string[]> {
  const folders = rescuedFolders(workspace.layout)
  const found = folders.map(async (folder) => (await workspace.names(folder)).map((name) => `${folder}/${name}`))
  return (await Promise.all(found)).flat()
}

/** Says what became of one. */
export async function settleRescue(
  workspace: Workspace,
  origin: WriteOrigin,
  { path, id }: Rescued,
  notes: readonly string[],
  at: Date,
): Promise<void> {
  const into = notes.length > 0 ? ` into ${[...new Set(notes)].join(', ')}` : '; nothing in it was worth a note'
  const outcome = `Kept word for word, distilled on ${localDate(at)} ${localTime(at)}${into}`
  await workspace.edit(path, origin, (before = '') =>
    before.replaceAll(entry, (whole, _time: string, heading: string, found: string) =>
      found === id ? whole.replace(heading, () => outcome) : whole,
    ),
  )
}

async function textOf(workspace: Workspace, path: string): Promise<string> {
  try {
    return (await workspace.read(path)).text
  } catch (error) {
    if (error instanceof AppError) return ''
    throw error
  }
}
