import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { isSystemError } from '#shared/util/errors.ts'
import { ageOf } from './file-age.ts'
import { isLeftOver } from './durable-write.ts'

/** A writer in another process may be at work on one that is newer, ms. */
const atWorkMs = 60_000
/** Whoever has just started the app, or asks for something, is answered first, ms. */
const tidyAfterMs = 3000

export interface Tidied {
  /** The other files, as paths below the folder with forward slashes. */
  readonly others: readonly string[]
  /** Something was too new to be told from what is being written. */
  readonly isUnsure: boolean
}

/**
 * Removes our temporary files from a folder, and those below it.
 * @param isOpen which of its folders to go into, by their paths below it
 */
export async function tidyFolder(folder: string, isOpen: (path: string) => boolean): Promise<Tidied> {
  const others: string[] = []
  let isUnsure = false
  const tidy = async (prefix: string): Promise<void> => {
    for (const entry of await entriesOf(join(folder, prefix))) {
      const path = prefix + entry.name
      if (entry.isDirectory()) {
        if (isOpen(path)) await tidy(`${path}/`)
      } else if (!isLeftOver(entry.name)) others.push(path)
      else if (await isOlderThan(join(folder, path), atWorkMs)) await rm(join(folder, path), { force: true })
      else isUnsure = true
    }
  }
  await tidy('')
  return { others, isUnsure }
}

/**
 * Tidies a little later, and once more where that was unsure: who starts again right after a crash finds what it left too
 * new.
 * @returns what calls it off
 */
export function tidyLater(
  tidy: () => Promise<Pick<Tidied, 'isUnsure'>>,
  onFault: (error: unknown) => void,
): () => void {
  let isOff = false
  let timer: NodeJS.Timeout | undefined
  const begin = (ms: number, isLast: boolean) => {
    timer = setTimeout(() => {
      tidy().then(({ isUnsure }) => {
        if (isUnsure && !isLast && !isOff) begin(atWorkMs + 1000, true)
      }, onFault)
    }, ms)
    timer.unref()
  }
  begin(tidyAfterMs, false)
  return () => {
    isOff = true
    clearTimeout(timer)
  }
}

async function entriesOf(folder: string) {
  try {
    return await readdir(folder, { withFileTypes: true })
  } catch (error) {
    if (isSystemError(error, 'ENOENT', 'ENOTDIR', 'EACCES', 'EPERM')) return []
    throw error
  }
}

async function isOlderThan(file: string, ms: number): Promise<boolean> {
  const info = await stat(file).catch(() => undefined)
  return info !== undefined && ageOf(info) > ms
}
