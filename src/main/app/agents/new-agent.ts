import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { dirname, isAbsolute, join, resolve } from 'node:path'
import { agentFileNames, appFolderName } from '#shared/util/agent-files.ts'
import { AppError, isSystemError } from '#shared/util/errors.ts'
import { expandHome, makeFolder, writeDurably, type AgentSettings, Mutex } from '#platform'
import {
  openConventions,
  createLayout,
  listEntryNames,
  longTermFilesIn,
  memoryFolderPath,
  ownFilePath,
  type Layout,
} from '#workspace'
import type { OpenAgent } from './agent.ts'
import { layoutOfConventions } from './memory-source.ts'

const colors = ['#3f5bd9', '#2f8a7b', '#b7791f', '#a04fb5', '#c2453b', '#4d7c2f'] as const

/** @param index 0-based; the colors repeat */
export function colorAt(index: number): string {
  return colors[index % colors.length] ?? colors[0]
}

/** Expands `~`. @throws AppError `input_invalid` for a relative path, `folder_unusable` for the root of a disk */
export function toAbsoluteFolder(path: string): string {
  const expanded = expandHome(path.trim())
  if (!isAbsolute(expanded)) {
    const reason = `${path}: an absolute path, or one that begins with ~/`
    throw new AppError('input_invalid', `${path} is not an absolute path`, { reason, path, fault: 'relative' })
  }
  const folder = resolve(expanded)
  if (dirname(folder) !== folder) return folder
  const data = { path: folder, reason: 'it is a whole disk', fault: 'disk' }
  throw new AppError('folder_unusable', `${folder} is a whole disk; choose a folder on it`, data)
}

/** Returns an id (a-z, 0-9, hyphen) of up to 40 characters from the name, plus a number if that id is taken. */
export function uniqueId(name: string, takenIds: readonly string[]): string {
  const slug = name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 40)
  const baseId = slug === '' ? 'agent' : slug
  if (!takenIds.includes(baseId)) return baseId
  for (let number = 2; ; number += 1) if (!takenIds.includes(`${baseId}-${number}`)) return `${baseId}-${number}`
}

/**
 * Adds missing template files to a folder. Both paths are absolute.
 * @param options `mayAdd`: by default only to a new or empty folder; conventions of the folder win over `vault`
 * @returns workspace-relative paths of new files
 * @throws AppError `folder_unusable`, `disk_full`, `write_failed`
 */
export async function addTemplates(
  folder: string,
  templates: string,
  { mayAdd, vault }: { readonly mayAdd?: boolean | undefined; readonly vault: AgentSettings['vault'] },
): Promise<string[]> {
  try {
    const isEmpty = ((await listEntryNames(folder)) ?? []).length === 0
    if (!(mayAdd ?? isEmpty)) return []
    const conventions = await openConventions(folder, () => vault)
    return await seedWorkspace(folder, templates, layoutOfConventions(conventions))
  } catch (error) {
    if (!isSystemError(error)) throw error
    const { code: fault = '', message: reason } = error
    const data = { path: folder, reason, fault }
    throw new AppError('folder_unusable', `${folder} cannot be used: ${reason}`, data, { cause: error })
  }
}

/** @returns the sorted, workspace-relative paths of the created files @throws AppError `disk_full`, `write_failed` */
export async function seedWorkspace(workspace: string, templates: string, layout: Layout): Promise<string[]> {
  await makeFolder(join(workspace, memoryFolderPath(layout)))
  return Mutex.runOnce(workspace, async () => {
    const templateNames = new Set(await readdir(templates))
    const created: string[] = []
    for (const name of agentFileNames) {
      const path = ownFilePath(name, layout)
      if (!templateNames.has(name) || existsSync(join(workspace, path))) continue
      const text = await readFile(join(templates, name), 'utf8')
      await writeDurably(join(workspace, path), adaptPaths(text, layout), { shownPath: path })
      created.push(path)
    }
    return created.sort()
  })
}

function adaptPaths(text: string, layout: Layout): string {
  const { folder, format } = layout.daily
  const log = `\`${folder === '' ? '' : `${folder}/`}${format}.md\``
  return agentFileNames.reduce(
    (adapted, name) => adapted.replaceAll(`\`${name}\``, () => `\`${ownFilePath(name, layout)}\``),
    text.replaceAll('`memory/YYYY-MM-DD.md`', () => log),
  )
}

const userOrigin = { cause: 'user' } as const

/** @param configured subfolder of the agent's files; undefined for the one on disk */
export function layoutIn(workspace: string, configured: string | undefined): Layout {
  const own = configured ?? (existsSync(join(workspace, appFolderName)) ? appFolderName : '')
  return createLayout(own, longTermFilesIn(join(workspace, own))[0])
}

/**
 * Moves the agent's files into subfolder `targetFolder`. If `saveSetting` or a move fails, undoes all moves and rethrows.
 * @returns `moved`: new paths; `left`: paths of files that were not moved because the target exists
 */
export async function moveAgentFiles(agent: OpenAgent, targetFolder: string, saveSetting: () => Promise<void>) {
  const { workspace, links, batches } = agent
  const currentLayout = workspace.layout
  const [longTerm = currentLayout.longTerm] = longTermFilesIn(join(workspace.roots.workspace, targetFolder))
  const newLayout = createLayout(targetFolder, longTerm)
  const moved: string[] = []
  const left: string[] = []
  const changes: number[] = []
  try {
    if (currentLayout.own !== targetFolder)
      for (const name of agentFileNames) {
        const [from, to] = [ownFilePath(name, currentLayout), ownFilePath(name, newLayout)]
        if (!(await workspace.exists(from))) continue
        if (await workspace.exists(to)) {
          left.push(from)
          continue
        }
        const plan = await links.planMove({ from, to })
        const { change } = await links.move({ from, to }, plan.id, userOrigin)
        if (change !== null) changes.push(change)
        moved.push(to)
      }
    await saveSetting()
  } catch (error) {
    for (const change of changes.reverse()) await batches.undo(change, userOrigin)
    throw error
  }
  return { moved, left }
}
