/** What was typed and not sent or saved, as it lies on the disk. */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** Some draft of the main agent holds these words. */
export async function isDraft(home: string, words: string): Promise<boolean> {
  const folder = join(home, 'agents/main/drafts')
  const names = await readdir(folder).catch(() => [])
  const texts = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8').catch(() => '')))
  return texts.some((text) => text.includes(words))
}
