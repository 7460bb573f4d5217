import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { createApp } from '../../../src/main/app/composition/create-app.ts'
import { mainFolder, openAppOn, prepareFolders } from '../../support/app.ts'
import { firstChange, writeFiles } from '../../support/folder.ts'
import { pendingMove, storePendingChange } from '../../support/pending-change.ts'
import { rounds, seededRandom } from '../../support/thorough.ts'

const mover = fileURLToPath(new URL('../../support/crash-mover.ts', import.meta.url))
const kills = rounds(1, 20)
const linking = 40

function vault(): Record<string, string> {
  const notes = Array.from({ length: linking }, (_, at) => [
    `notes/n${at}.md`,
    `See [it](../target/inside.md) and [[target/inside]].\n${'text\n'.repeat(at)}`,
  ])
  return { 'target/inside.md': '# Target\n', ...(Object.fromEntries(notes) as Record<string, string>) }
}

describe('crash during a move', () => {
  it(
    'a folder is never half moved: after a kill at any time, the next start finishes the move',
    async () => {
      const { home, workspace } = await prepareFolders({ files: vault() })
      const random = seededRandom()
      const told = { change_ended: 0, change_not_done: 0 }
      let within = 0
      for (let round = 0; round < 2 * kills; round += 1) {
        const child = spawn(process.execPath, [mover, home], { stdio: ['ignore', 'pipe', 'inherit'] })
        let output = ''
        child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()))
        while (!output.includes('moving')) await once(child.stdout, 'data')
        // At any time, or while files change.
        if (round % 2 === 0) await new Promise((resolve) => setTimeout(resolve, random() * 500))
        else await firstChange(workspace)
        child.kill('SIGKILL')
        await once(child, 'exit')
        within += output.endsWith('moving\n') ? 1 : 0

        const app = await createApp({ mainFolder, env: {}, home, watch: false })
        const { links } = await app.agents.get('main')
        const { count: broken } = await links.broken()
        const problems = new Set(app.health.problems('main').map(({ code }) => code))
        await app.close()
        expect(broken).toBe(0)
        const places = ['target/inside.md', 'elsewhere/renamed/inside.md']
        expect(places.filter((path) => existsSync(join(workspace, path)))).toHaveLength(1)
        for (const code of ['change_ended', 'change_not_done'] as const) told[code] += problems.has(code) ? 1 : 0
      }
      // At least one kill hit a move, and recovery reported it.
      expect(within).toBeGreaterThan(0)
      expect(told.change_ended + told.change_not_done).toBeGreaterThan(0)
    },
    60_000 + 2 * kills * 6000,
  )

  it('leaves and reports a note that was edited after the crash', async () => {
    const files = {
      'b.md': '# B\n',
      'one.md': 'See [[a]] and more.\n',
      'two.md': 'See [[a]].\n',
      'three.md': 'See [[b]].\n',
    }
    const { home, workspace } = await prepareFolders({ files })
    const pending = ['one.md', 'two.md', 'three.md'].map((path) => {
      const [before, after] =
        path === 'one.md' ? ['See [[a]] and more.\n', 'See [[b]] and more.\n'] : ['See [[a]].\n', 'See [[b]].\n']
      return { path, before, after }
    })
    await storePendingChange({ home, workspace }, pendingMove('a.md', 'b.md', pending))
    await writeFiles(workspace, { 'two.md': 'Another text.\n' })
    const { app } = await openAppOn(home, { watch: false })
    const agent = await app.agents.get('main')
    const changeProblem = () => app.health.problems('main').find(({ code }) => code.startsWith('change_'))
    expect(changeProblem()).toMatchObject({ code: 'change_left', files: ['two.md'] })
    expect(await readFile(join(workspace, 'one.md'), 'utf8')).toBe('See [[b]] and more.\n')
    expect(await readFile(join(workspace, 'two.md'), 'utf8')).toBe('Another text.\n')
    expect(await readFile(join(workspace, 'three.md'), 'utf8')).toBe('See [[b]].\n')
    // An undo ends the notice.
    await agent.revert({ change: agent.recoveredChange?.change ?? -1 })
    expect(await readFile(join(workspace, 'one.md'), 'utf8')).toBe('See [[a]] and more.\n')
    expect([agent.recoveredChange, changeProblem()]).toEqual([undefined, undefined])
  })

  it('a rollback keeps edits of other programs, and removes created files', async () => {
    const paths = Array.from({ length: 40 }, (_, at) => `n${at}.md`)
    const { home, workspace } = await prepareFolders({
      files: Object.fromEntries(paths.map((path) => [path, 'before\n'])),
    })
    const { app } = await openAppOn(home, { watch: false })
    const agent = await app.agents.get('main')
    const texts = paths.map((path) => ({ path, newPath: path, before: 'before\n', after: 'after\n' }))
    const made = { path: 'made.md', newPath: 'made.md', before: null, after: 'made\n' }
    const stop = new AbortController()
    const onProgress = (done: number) => {
      if (done === 0) return
      expect(readFileSync(join(workspace, 'made.md'), 'utf8')).toBe('made\n')
      writeFileSync(join(workspace, 'n3.md'), 'somebody else\n')
      stop.abort()
    }
    const changed = agent.workspace.runTransaction(
      {},
      [made, ...texts],
      { cause: 'user' },
      { onProgress, signal: stop.signal },
    )
    await expect(changed).rejects.toMatchObject({ code: 'move_cancelled' })
    const all = await Promise.all(paths.map((path) => readFile(join(workspace, path), 'utf8')))
    expect(all).toEqual(paths.map((path) => (path === 'n3.md' ? 'somebody else\n' : 'before\n')))
    expect(existsSync(join(workspace, 'made.md'))).toBe(false)
  })
})
