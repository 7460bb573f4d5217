import type { ErasureRequest } from '#shared/contract/index.ts'
import { serveWorker } from '#platform'
import { findGitFolder } from '../git/git-log.ts'
import { erase, resumeErasure } from './erase.ts'
import { ErasePattern } from './erase-pattern.ts'
import type { ErasureFolders } from './erasure-stores.ts'
import { findOccurrences } from './occurrences.ts'

const stopController = new AbortController()

const jobs = {
  /** `stop` ends it after the current file. */
  run: ({ folders, request }: { folders: ErasureFolders; request: ErasureRequest }) =>
    erase(folders, request, stopController.signal),
  stop: () => stopController.abort(),
  resume: async (folders: ErasureFolders) => {
    for await (const _ of resumeErasure(folders));
  },
  /** `git`: path of a repository that contains the workspace; null if there is none. It keeps the texts. */
  find: async ({ folders, words }: { folders: ErasureFolders; words: string }) => ({
    places: await findOccurrences(folders, new ErasePattern([words])),
    git: findGitFolder(folders.workspace) ?? null,
  }),
}

export type ErasureJobs = typeof jobs

serveWorker(jobs)
