/** Reads what `git log` tells of one file, in the form that `logFormat` asks for. Pure. */

/** Fields end with NUL, which neither names nor messages have. */
const mark = '\0:commit:\0'
export const logFormat = ['-z', '--format=%x00:commit:%x00%H%x00%at%x00%an%x00%s%x00', '--numstat']

/** One commit, and what it did to the file. Paths are relative to the repository's top. */
export interface FileCommit {
  readonly commit: string
  /** Milliseconds since the epoch, by the author's clock. */
  readonly at: number
  readonly author: string
  readonly subject: string
  /** What the file is called after it. */
  readonly path: string
  /** And was before, when it was moved. */
  readonly from?: string
  /** Lines; undefined for what Git takes for no text. */
  readonly added: number | undefined
  readonly removed: number | undefined
}

/** @param path of the newest commit's file @returns newest first */
export function readLog(text: string, path: string): FileCommit[] {
  const commits: FileCommit[] = []
  let now = path
  for (const record of text.split(mark).slice(1)) {
    const [commit = '', seconds = '', author = '', subject = '', ...rest] = record.split('\0')
    const change = readNumstat(rest.join('\0'))
    const named = change?.path ?? now
    commits.push({
      commit,
      at: Number(seconds) * 1000,
      author,
      subject,
      path: named,
      ...(change?.from === undefined ? {} : { from: change.from }),
      added: change ? change.added : 0,
      removed: change ? change.removed : 0,
    })
    now = change?.from ?? named
  }
  return commits
}

/** `3\t1\tpath\0`, of what was moved `3\t1\t\0from\0to\0`. */
function readNumstat(text: string): Pick<FileCommit, 'path' | 'from' | 'added' | 'removed'> | undefined {
  const found = /([\d-]+)\t([\d-]+)\t([^\0]*)\0(?:([^\0]+)\0([^\0]+)\0)?/.exec(text)
  if (!found) return undefined
  const [, added = '', removed = '', path = '', from, to] = found
  const count = (figure: string) => (figure === '-' ? undefined : Number(figure))
  const counts = { added: count(added), removed: count(removed) }
  return path === '' && from !== undefined && to !== undefined ? { path: to, from, ...counts } : { path, ...counts }
}
