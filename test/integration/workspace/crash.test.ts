/** Processes that are killed at random while they write: nothing acknowledged is lost, and every undo still works. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { createApp } from '../../../src/main/app/composition/create-app.ts'
import { mainFolder, prepareFolders } from '../../support/app.ts'
import { until } from '../../support/folder.ts'
import { rounds, seededRandom } from '../../support/thorough.ts'

const writer = fileURLToPath(new URL('../../support/crash-writer.ts', import.meta.url))
const kills = rounds(3, 300)

interface Acknowledged {
  readonly step: string
  readonly change: number | null
  /** Texts of the notes that the step wrote; null for a note that it removed. */
  readonly files: Readonly<Record<string, string | null>>
  readonly cause: string
}

describe('crash during writes', () => {
  it(
    'a kill at any time loses and tears nothing; authors are right, and the next process can undo',
    async () => {
      const { home, workspace } = await prepareFolders({})
      const random = seededRandom()
      const model = new Map<string, string | null>()
      let acknowledgedSteps = 0
      for (let round = 0; round < kills; round += 1) {
        const child = spawn(process.execPath, [writer, home, String(round)], { stdio: ['ignore', 'pipe', 'inherit'] })
        let output = ''
        child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()))
        await until(() => output.includes('ready\n'), 60_000)
        await new Promise((resolve) => setTimeout(resolve, random() * 600))
        child.kill('SIGKILL')
        await once(child, 'exit')
        const lines = output.split('\n').slice(1, -1)
        const steps = lines.filter((line) => line.startsWith('{')).map((line): Acknowledged => JSON.parse(line))
        for (const { files } of steps) for (const [path, text] of Object.entries(files)) model.set(path, text)
        acknowledgedSteps += steps.length

        const app = await createApp({ mainFolder, env: {}, home, watch: true })
        const agent = await app.agents.get('main')
        await agent.history.flush()
        const started = startedStep(output)
        for (const [path, text] of model) {
          const current = await readFile(join(workspace, path), 'utf8').catch(() => null)
          // The step that was running may be done or not, but whole.
          const allowed = [text, ...(started && path in started.files ? [started.files[path]] : [])]
          expect(allowed, `round ${round}: ${path}, running ${started?.step}`).toContain(current)
          model.set(path, current)
        }
        if (started) {
          const states = Object.entries(started.files).map(([path, text]) => model.get(path) === text)
          expect(new Set(states).size, `round ${round}: ${started.step} is done for some files only`).toBeLessThan(2)
        }
        const entries = agent.history.timeline({ limit: 10_000 })
        for (const { change, files, cause } of steps)
          for (const path of Object.keys(files)) {
            const entry = entries.find((one) => one.change === change && one.path === path)
            expect(entry?.cause, `round ${round}: the author of ${path} in ${change}`).toBe(cause)
          }
        expect(entries.filter(({ cause }) => cause === 'outside' || cause === 'unrecorded')).toEqual([])
        for (const [path, text] of model) {
          const [newest] = agent.history.timeline({ path, limit: 1 })
          if (newest) expect(agent.history.texts(newest.change, newest.path).after, path).toBe(text)
        }
        const undoable = steps.at(-1)
        if (undoable?.change && round % 3 === 0) {
          const undo = await agent.revert({ change: undoable.change }).catch((error: unknown) => {
            expect(error).toMatchObject({ code: 'undo_conflict' })
          })
          // The step that the kill interrupted came later and may have changed the same lines.
          for (const { path } of undo?.left ?? []) expect(Object.keys(started?.files ?? {})).toContain(path)
          for (const path of model.keys())
            model.set(path, await readFile(join(workspace, path), 'utf8').catch(() => null))
        }
        await app.close()
      }
      expect(acknowledgedSteps).toBeGreaterThan(kills)
    },
    60_000 + kills * 10_000,
  )
})

function startedStep(output: string): Acknowledged | undefined {
  const started = output.lastIndexOf('\nstart ')
  if (started < 0 || output.lastIndexOf('\n{') > started) return undefined
  const line = output.slice(started + '\nstart '.length).split('\n')
  return line.length > 1 ? JSON.parse(line[0] ?? '') : undefined
}
