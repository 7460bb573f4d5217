/** Reads the drafts that the app stores on disk. */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** Returns true if a draft of the main agent contains these words. */
export async function isDraft(home: string, words: string): Promise<boolean> {
  const folder = join(home, 'agents/main/drafts')
  const names = await readdir(folder).catch(() => [])
  const texts = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8').catch(() => '')))
  return texts.some((text) => text.includes(words))
}
