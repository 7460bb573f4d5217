import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ownNames } from '#shared/util/own-files.ts'
import { Exclusive, makeFolder, writeDurably } from '#platform'
import { memoryFolderOf, ownPath, usualLayout, type Layout } from './layout.ts'

/**
 * @param layout where such files lie, and the logs of days
 * @returns the paths of the files that were created @throws AppError `disk_full`, `write_failed`
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

/** Templates name files by where they usually lie. */
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
