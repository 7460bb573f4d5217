/** The texts that keeping asks models with: from resources/prompts/, or from the configuration where it has its own. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

export interface Prompts {
  readonly flushSystem: string
  /** @param todaysLog the path that stands for `{{todaysLog}}` */
  readonly flush: (todaysLog: string) => string
  /** With `{{conversation}}`, `{{earlier}}` and `{{focus}}` to be filled in. */
  readonly compaction: string
  /** With `{{conversation}}` to be filled in. */
  readonly slug: string
  /** The same. */
  readonly title: string
}

/** Texts of the user's that replace ours. */
export interface OwnPrompts {
  readonly flushSystem?: string | undefined
  readonly flush?: string | undefined
  readonly compaction?: string | undefined
  readonly slug?: string | undefined
  readonly title?: string | undefined
}

export async function loadPrompts(resources: string, own: OwnPrompts): Promise<Prompts> {
  const read = async (name: string) => (await readFile(join(resources, 'prompts', name), 'utf8')).trim()
  const [flushSystem, flush, compaction, slug, title] = await Promise.all([
    own.flushSystem ?? read('flush-system.md'),
    own.flush ?? read('flush.md'),
    own.compaction ?? read('compaction.md'),
    own.slug ?? read('slug.md'),
    own.title ?? read('title.md'),
  ])
  return { flushSystem, flush: (todaysLog) => flush.replaceAll('{{todaysLog}}', todaysLog), compaction, slug, title }
}
