import type { DeletionRequest } from '#shared/contract/index.ts'
import { serveWorker } from '#platform'
import { findGitFolder } from '../git/git-log.ts'
import { deletePermanently, resumeDeletion } from './delete-permanently.ts'
import { DeletionPattern } from './deletion-pattern.ts'
import type { DeletionFolders } from './stores.ts'
import { findOccurrences } from './occurrences.ts'

function createJobs() {
  const stopController = new AbortController()

  return {
    /** `stop` ends it after the current file. */
    run: ({ folders, request }: { folders: DeletionFolders; request: DeletionRequest }) =>
      deletePermanently(folders, request, stopController.signal),
    stop: () => stopController.abort(),
    resume: async (folders: DeletionFolders) => {
      for await (const _ of resumeDeletion(folders));
    },
    /** `git`: path of a repository that contains the workspace; null if there is none. It keeps the texts. */
    find: async ({ folders, words }: { folders: DeletionFolders; words: string }) => ({
      places: await findOccurrences(folders, new DeletionPattern([words])),
      git: findGitFolder(folders.workspace) ?? null,
    }),
  }
}

export type DeletionJobs = ReturnType<typeof createJobs>

serveWorker(createJobs)
