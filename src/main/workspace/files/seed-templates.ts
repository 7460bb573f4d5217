import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ownNames } from '#shared/util/own-files.ts'
import { Exclusive, makeFolder, writeDurably } from '#platform'
import { memoryFolderOf, ownPath, usualLayout, type Layout } from './layout.ts'

/**
 * Copies the templates of an agent's own files that do not exist yet.
 * @returns the sorted paths of the created files
 * @throws AppError `disk_full`, `write_failed`
 */
export async function seedWorkspace(
  workspace: string,
  templates: string,
  layout: Layout = usualLayout,
): Promise<string[]> {
  await makeFolder(join(workspace, memoryFolderOf(layout)))
  const alone = new Exclusive(workspace)
  try {
    return await alone.run(async () => {
      const there = new Set(await readdir(templates))
      const created: string[] = []
      for (const name of ownNames) {
        const path = ownPath(name, layout)
        if (!there.has(name) || existsSync(join(workspace, path))) continue
        const text = await readFile(join(templates, name), 'utf8')
        await writeDurably(join(workspace, path), placed(text, layout), path)
        created.push(path)
      }
      return created.sort()
    })
  } finally {
    alone.close()
  }
}

/** Replaces the default paths in a template by those of the layout. */
function placed(text: string, layout: Layout): string {
  const { folder, format } = layout.daily
  const log = `\`${folder === '' ? '' : `${folder}/`}${format}.md\``
  return text
    .replaceAll('`memory/YYYY-MM-DD.md`', () => log)
    .replaceAll(
      /`((?:AGENTS|SOUL|USER|TOOLS|MEMORY)\.md)`/g,
      (_whole, name: (typeof ownNames)[number]) => `\`${ownPath(name, layout)}\``,
    )
}
