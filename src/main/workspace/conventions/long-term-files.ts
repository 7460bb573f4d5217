import { globSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { longTermNames } from '#shared/util/agent-files.ts'

/**
 * Returns the names in a folder (absolute) that can be the long-term memory, the one in use first. Names of the same
 * file, such as links, count once. A disk that ignores case lists each file once.
 */
export function longTermFilesIn(folder: string): string[] {
  const entries = globSync('*.md', { cwd: folder })
  const ids = longTermNames.map((name) => {
    const info = entries.includes(name)
      ? statSync(join(folder, name), { bigint: true, throwIfNoEntry: false })
      : undefined
    return info?.isFile() ? `${info.dev} ${info.ino}` : undefined
  })
  return longTermNames.filter((_, at) => ids[at] !== undefined && ids.indexOf(ids[at]) === at)
}
