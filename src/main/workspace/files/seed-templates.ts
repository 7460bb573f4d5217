import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { agentFileNames } from '#shared/util/agent-files.ts'
import { makeFolder, runExclusively, writeDurably } from '#platform'
import { memoryFolderPath, ownFilePath, defaultLayout, type Layout } from './layout.ts'

/**
 * Copies the templates of an agent's own files that do not exist yet.
 * @returns the sorted, workspace-relative paths of the created files
 * @throws AppError `disk_full`, `write_failed`
 */
export async function seedWorkspace(
  workspace: string,
  templates: string,
  layout: Layout = defaultLayout,
): Promise<string[]> {
  await makeFolder(join(workspace, memoryFolderPath(layout)))
  return runExclusively(workspace, async () => {
    const templateNames = new Set(await readdir(templates))
    const created: string[] = []
    for (const name of agentFileNames) {
      const path = ownFilePath(name, layout)
      if (!templateNames.has(name) || existsSync(join(workspace, path))) continue
      const text = await readFile(join(templates, name), 'utf8')
      await writeDurably(join(workspace, path), adaptPaths(text, layout), path)
      created.push(path)
    }
    return created.sort()
  })
}

function adaptPaths(text: string, layout: Layout): string {
  const { folder, format } = layout.daily
  const log = `\`${folder === '' ? '' : `${folder}/`}${format}.md\``
  return text
    .replaceAll('`memory/YYYY-MM-DD.md`', () => log)
    .replaceAll(
      /`((?:AGENTS|SOUL|USER|TOOLS|MEMORY)\.md)`/g,
      (_match, name: (typeof agentFileNames)[number]) => `\`${ownFilePath(name, layout)}\``,
    )
}
