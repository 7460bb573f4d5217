import { createWriteStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { AppError } from '#shared/util/errors.ts'
import { serveWorker } from '#platform'
import type { Roots } from '#workspace'
import { exportZip } from '../export/export-zip.ts'
import { planImport, type ImportOptions } from './prepare-import.ts'
import { openSource, type ImportSource } from './read-source.ts'

type PrepareTask = Omit<ImportOptions, 'signal'> & {
  readonly path: string
  readonly roots: Pick<Roots, 'workspace' | 'forbidden'>
}

function createJobs() {
  let source: ImportSource | undefined
  let texts: readonly (string | null)[] = []

  return {
    /**
     * Opens the source in the first call; reads the workspace in each call.
     * @returns `files`: in the order of creation; their texts stay in the worker, because they can have hundreds of MB
     */
    async prepare({ path, roots, ...options }: PrepareTask, signal?: AbortSignal) {
      source ??= await openSource(path, signal)
      const { plan, files } = await planImport(source, { ...options, signal }, roots)
      texts = files.map(({ text }) => text)
      return {
        plan,
        memories: plan.memories > 0 ? source.memories : [],
        files: files.map(({ path: to, source: from }) => ({ path: to, source: from })),
      }
    },
    /** Returns the texts of the planned files from an index on; null for an attachment. */
    texts: ({ from, count }: { from: number; count: number }) => texts.slice(from, from + count),
    /** Writes an attachment (path in the source) to a new file (absolute path). @throws a system error if it exists */
    async copy({ from, to }: { from: string; to: string }) {
      const file = source?.attachments.get(from)
      if (!file) throw new AppError('file_not_found', `${from} does not exist`, { path: from })
      await pipeline(file.chunks(), createWriteStream(to, { flags: 'wx' }))
    },
    close: () => source?.close(),
    pack: exportZip,
  }
}

export type ImportJobs = ReturnType<typeof createJobs>

serveWorker(createJobs)
