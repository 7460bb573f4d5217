import { AppError } from '#shared/util/errors.ts'
import { serveWorker } from '#platform'
import type { Roots } from '#workspace'
import { exportZip } from '../export/export-zip.ts'
import { planImport, type ImportOptions } from './prepare-import.ts'
import { copyAttachment, openSource, type Source } from './read-source.ts'

interface PrepareTask extends ImportOptions {
  readonly path: string
  readonly roots: Pick<Roots, 'workspace' | 'forbidden'>
}

interface PackTask {
  readonly workspace: string
  readonly forbidden: readonly string[]
  readonly local: readonly string[]
  readonly note: string | undefined
  readonly upkeep: string | undefined
  readonly repository: string | undefined
}

/** Source of the only import that this worker serves. */
let source: Source | undefined

const jobs = {
  /** Opens the source in the first call; reads the workspace in each call. */
  async prepare({ path, roots, ...options }: PrepareTask) {
    source ??= await openSource(path)
    return planImport(source, options, roots)
  },
  async copy({ from, to }: { from: string; to: string }) {
    if (!source) throw new AppError('file_not_found', `${from} does not exist`, { path: from })
    await copyAttachment(source, from, to)
  },
  close: () => source?.close(),
  pack: ({ workspace, forbidden, local, ...options }: PackTask) => exportZip(workspace, { forbidden, local }, options),
}

export type ImportJobs = typeof jobs

serveWorker(jobs)
