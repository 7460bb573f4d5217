import type { VaultConventions } from '#shared/contract/index.ts'
import { isDailyFormat } from '#shared/markdown/daily-notes.ts'
import { type AgentSettings, EventEmitter, KeyedQueue, type Subscribable } from '#platform'
import { createLayout, defaultDaily, ownFilePath } from '../files/layout.ts'
import { normalizeFolder, readConventions } from './read-conventions.ts'
import { readdir } from 'node:fs/promises'
import { isAbsolute } from 'node:path'
import { onSystemError } from '#shared/util/errors.ts'
import { agentFileNames } from '#shared/util/agent-files.ts'
import { walkMarkdown } from '../files/walk.ts'

/** Conventions from this app's settings. Undefined values come from the vault. */
type ConventionOverrides = Omit<AgentSettings['vault'], 'ignored'> & { readonly ignored: readonly string[] }

/** Conventions of a vault: those of the program that created it, overridden by this app's settings. @param root absolute */
export async function openConventions(root: string, overrides: () => ConventionOverrides) {
  const changes = new EventEmitter()
  let detected = await readConventions(root, undefined, overrides().own)
  let notePaths: readonly string[] | undefined
  const queue = new KeyedQueue()
  return {
    changes: changes as Subscribable<void>,
    get effective(): VaultConventions {
      return applyOverrides(detected, overrides())
    },
    /** Reads the vault's settings again. @param paths paths of the notes; defaults to those of the previous call */
    refresh(paths?: readonly string[]): Promise<void> {
      // One after the other: an earlier reading must not replace a later one.
      return queue.run('', async () => {
        notePaths = paths ?? notePaths
        const next = await readConventions(root, notePaths, overrides().own)
        if (JSON.stringify(next) === JSON.stringify(detected)) return
        detected = next
        changes.emit()
      })
    },
  }
}
export type Conventions = Awaited<ReturnType<typeof openConventions>>

export function applyOverrides(detected: VaultConventions, overrides: ConventionOverrides): VaultConventions {
  const ownFolder = normalizeFolder(overrides.own ?? detected.own)
  const baseDaily = detected.hasDaily ? detected.daily : defaultDaily(ownFolder)
  const { folder = baseDaily.folder, format = baseDaily.format } = overrides.daily
  return {
    ...detected,
    daily: { folder: normalizeFolder(folder), format: isDailyFormat(format) ? format : baseDaily.format },
    own: ownFolder,
    attachments: parseAttachments(overrides.attachments) ?? detected.attachments,
    ignored: [...detected.ignored, ...overrides.ignored.map(normalizeFolder).filter(Boolean)],
  }
}

function parseAttachments(folderSetting: string | undefined): VaultConventions['attachments'] | undefined {
  if (folderSetting === undefined || folderSetting === 'beside') return folderSetting
  const folder = normalizeFolder(folderSetting)
  if (!/^\.[\\/]/.test(folderSetting)) return { path: folder }
  return folder === '' ? 'beside' : { below: folder }
}

const systemFiles: ReadonlySet<string> = new Set(['.DS_Store', 'Thumbs.db', 'desktop.ini'])

/** Returns the names in a folder; undefined if it does not exist. @throws the system error if it cannot be read */
export async function listEntryNames(folder: string): Promise<string[] | undefined> {
  const names = await readdir(folder).catch(onSystemError(undefined, 'ENOENT', 'ENOTDIR'))
  return names?.filter((name) => !systemFiles.has(name))
}

/** Describes a folder that the user may choose as a workspace. An unreadable or relative path counts as empty. */
export async function inspectFolder(folder: string, signal?: AbortSignal) {
  // While the user types the path, it can be incomplete.
  const names = isAbsolute(folder) ? await listEntryNames(folder).catch(() => []) : undefined
  if (!names) {
    const habits = await readConventions(isAbsolute(folder) ? folder : '', [])
    return { exists: false, own: [], isEmpty: true, notes: 0, habits }
  }
  const { files } = await walkMarkdown(folder, signal).catch(onSystemError({ files: [] }))
  const paths = files.map((file) => file.path)
  const habits = await readConventions(folder, paths)
  const layout = createLayout(habits.own, habits.longTermFiles[0])
  return {
    exists: true,
    own: agentFileNames.map((name) => ownFilePath(name, layout)).filter((path) => paths.includes(path)),
    isEmpty: names.length === 0,
    notes: files.length,
    habits,
  }
}
