/** A workspace with its history, as the app opens it, without an index. */
import { mkdir } from 'node:fs/promises'
import { onTestFinished } from 'vitest'
import type { HistoryProblem } from '../../src/main/workspace/changes/change-log.ts'
import { History } from '../../src/main/workspace/changes/history.ts'
import { Workspace } from '../../src/main/workspace/files/workspace.ts'
import { workerEntry } from '../../src/main/platform/workers/serve-worker.ts'
import { mainFolder } from './built.ts'
import { writeFiles } from './folder.ts'

export interface HistoryOptions {
  readonly files?: Readonly<Record<string, string>>
  readonly enabled?: () => boolean
  readonly now?: () => Date
}

/** Closes both after the test. @param file the change log */
export async function openHistoryOf(
  folder: string,
  file: string,
  { files = {}, enabled = () => true, now = () => new Date() }: HistoryOptions = {},
) {
  await mkdir(folder, { recursive: true })
  await writeFiles(folder, files)
  const roots = { workspace: folder, forbidden: [] }
  const problems: HistoryProblem[][] = []
  const history = new History({
    entry: workerEntry(mainFolder, 'workspace/changes/changes.worker'),
    file,
    roots,
    now,
    settings: () => ({ enabled: enabled() }),
    isLongRunning: true,
    onFault(error) {
      throw error
    },
  })
  history.log.changes.subscribe((event) => event.type === 'problems' && problems.push([...event.problems]))
  const workspace = new Workspace(roots, { log: history.log, now })
  await history.flush()
  let isOpen = true
  const close = async () => {
    if (!isOpen) return
    isOpen = false
    await history.close()
    workspace.close()
  }
  onTestFinished(close)
  const timeline = (path?: string) =>
    history
      .timeline({ path, limit: 100 })
      .map((entry) => `${entry.cause} ${entry.path} +${entry.added} -${entry.removed}`)
  return { folder, file, history, workspace, timeline, problems, close }
}
