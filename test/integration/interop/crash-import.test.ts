import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { createApp } from '../../../src/main/app/composition/create-app.ts'
import { mainFolder, prepareFolders } from '../../support/app.ts'
import { folderWith } from '../../support/folder.ts'
import { runImport } from '../../support/import.ts'
import { rounds, seededRandom } from '../../support/thorough.ts'

const importerScript = fileURLToPath(new URL('../../support/crash-importer.ts', import.meta.url))
const kills = rounds(1, 30)
const count = 80

describe('crashes', () => {
  it(
    'reports an import killed by a crash at the next start; it can continue and be undone completely',
    async () => {
      const notes = Array.from({ length: count }, (_, at) => [`d${at % 7}/note ${at}.md`, `# ${at}\n![](p${at}.png)\n`])
      const pictures = Array.from({ length: count / 4 }, (_, at) => [`d${at % 7}/p${at}.png`, `picture ${at}`])
      const source = await folderWith(Object.fromEntries([...notes, ...pictures]) as Record<string, string>)
      const random = seededRandom()
      for (let round = 0; round < kills; round += 1) {
        const { home, workspace } = await prepareFolders({ files: { 'in/mine.md': 'mine\n' } })
        const child = spawn(process.execPath, [importerScript, home, source], { stdio: ['ignore', 'pipe', 'inherit'] })
        let output = ''
        child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()))
        while (!output.includes('importing')) await once(child.stdout, 'data')
        await new Promise((resolve) => setTimeout(resolve, random() * 60))
        child.kill('SIGKILL')
        await once(child, 'exit')

        const app = await createApp({ mainFolder, env: {}, home, watch: false })
        const { importer } = await app.agents.get('main')
        const here = async () =>
          (await readdir(join(workspace, 'in'), { recursive: true }))
            .filter((name) => /\.(?:md|png)$/.test(name))
            .sort()
        const came = await here()
        const [told] = importer.status().ended
        expect(told).toMatchObject({ path: source, failure: { code: 'import_broken_off' } })
        expect(told?.made).toHaveLength(came.length - 1)
        const [past] = importer.past()
        expect(past).toMatchObject({ change: told?.change, path: source, files: came.length - 1, left: [] })
        // Files that exist are not imported again.
        await runImport(importer, { path: source, into: 'in', withAttachments: true })
        expect(await here()).toHaveLength(count + count / 4 + 1)
        for (const { change } of importer.past()) expect((await importer.undo(change)).left).toEqual([])
        expect(await here()).toEqual(['mine.md'])
        expect(importer.past()).toEqual([])
        await app.close()
        // The report appears once.
        const later = await createApp({ mainFolder, env: {}, home, watch: false })
        expect((await later.agents.get('main')).importer.status().ended).toEqual([])
        await later.close()
      }
    },
    60_000 + kills * 20_000,
  )
})
