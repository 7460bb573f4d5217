import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createApp } from '../../../src/main/app/composition/create-app.ts'
import { Repository } from '../../../src/main/workspace/history/repository.ts'
import { mainFolder, prepareFolders } from '../../support/app.ts'
import { rounds, seededRandom } from '../../support/thorough.ts'
import { logLines } from '../../support/log-lines.ts'

const writer = fileURLToPath(new URL('../../support/crash-writer.ts', import.meta.url))
const kills = rounds(4, 200)

describe('crash during writes', () => {
  it(
    'a kill at any time leaves no torn file, a readable history, and no lost capture',
    async () => {
      const { home, workspace } = await prepareFolders({})
      const random = seededRandom()
      const captured = new Set<string>()
      let atLeast = 0
      for (let round = 0; round < kills; round += 1) {
        const child = spawn(process.execPath, [writer, home], { stdio: ['ignore', 'pipe', 'inherit'] })
        let output = ''
        child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()))
        await once(child.stdout, 'data')
        // Every fourth process is killed before its first note is reported, the others at a random time after it.
        const isEarly = round % 4 === 3
        if (!isEarly) {
          while (!output.includes('note-')) await once(child.stdout, 'data')
          atLeast += 1
        }
        await new Promise((resolve) => setTimeout(resolve, random() * 300))
        child.kill('SIGKILL')
        await once(child, 'exit')
        for (const line of output.split('\n').slice(0, -1)) if (line.startsWith('note-')) captured.add(line)

        const text = await readFile(join(workspace, 'memory/2026-01-20.md'), 'utf8').catch(() => '')
        const lines = new Set(logLines(text))
        for (const note of captured) expect(lines.has(note), note).toBe(true)
        for (const name of (await readdir(join(workspace, 'memory'))).filter((file) => file.endsWith('.md')))
          expect(await readFile(join(workspace, 'memory', name), 'utf8'), name).toMatch(/\n$/)
        const repository = await Repository.open(join(home, 'history/main/repository.git'), workspace)
        const log = await repository.log()
        for (const { files } of log)
          for (const { after } of files) if (after !== null) expect(await repository.text(after)).toMatch(/\n$/)
      }
      // The next process records what killed ones did not.
      const app = await createApp({ mainFolder, env: {}, home })
      onTestFinished(() => app.close())
      const { history } = await app.agents.get('main')
      await history?.flush()
      const recorded = new Set((await history?.timeline({ limit: 10_000 }))?.map(({ file }) => file.path))
      const written = (await readdir(join(workspace, 'memory'))).filter((name) => name.endsWith('.md'))
      expect([...recorded].sort()).toEqual(expect.arrayContaining(written.map((name) => `memory/${name}`).sort()))
      expect(atLeast).toBeGreaterThan(kills / 3)
      expect(captured.size).toBeGreaterThanOrEqual(atLeast)
    },
    60_000 + kills * 5000,
  )
})
