/** Entry of the thread that reads a repository where there is no Git to ask. */
import { type } from '@orpc/server'
import { serveThread, threadBase } from '#platform'
import { PlainGit } from './plain-git.ts'

let opened: { readonly gitdir: string; readonly git: PlainGit } | undefined

function repository(gitdir: string): PlainGit {
  if (opened?.gitdir !== gitdir) opened = { gitdir, git: new PlainGit(gitdir) }
  return opened.git
}

const router = {
  log: threadBase
    .input(type<{ gitdir: string; path: string; skip: number; limit: number }>())
    .handler(({ input: { gitdir, path, ...bounds } }) => repository(gitdir).logOf(path, bounds)),
  /** Of the file after a commit, and before it. */
  bytes: threadBase
    .input(type<{ gitdir: string; commit: string; path: string; from: string }>())
    .handler(async ({ input: { gitdir, commit, path, from } }) => {
      const git = repository(gitdir)
      const parent = await git.parentOf(commit)
      const before = parent === undefined ? undefined : await git.bytesAt(parent, from)
      return { before, after: await git.bytesAt(commit, path) }
    }),
}

export type CommitsRouter = typeof router

serveThread(router)
