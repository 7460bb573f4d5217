import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { prepareFolders } from '../../support/app.ts'
import { isRunning } from '../../support/command.ts'
import { until } from '../../support/folder.ts'
import { textOf } from '../../support/mcp-clients.ts'
import { startStdio } from '../../support/mcp-stdio.ts'
import { rounds } from '../../support/thorough.ts'

/** Process that has the memory of a home open. */
async function ownerOf(home: string): Promise<number> {
  return JSON.parse(await readFile(join(home, 'owner/app.json'), 'utf8')).pid
}

describe('programs over stdio', () => {
  it('share one process, which outlives the process group of the one that started it', async () => {
    const { home } = await prepareFolders({ files: { 'tea.md': 'Lena likes jasmine tea.\n' } })
    const first = await startStdio(['mcp', '--home', home])
    const owner = await ownerOf(home)
    const second = await startStdio(['mcp', '--home', home, '--read-only'])
    expect((await second.listTools()).toSorted()).toEqual(['memory_get', 'memory_recent', 'memory_search'])
    first.killGroup()
    expect(textOf(await second.call('memory_search', { query: 'Which tea does Lena like?' }))).toContain('tea.md:1')
    expect(await ownerOf(home)).toBe(owner)
    await second.close()
    await until(() => !isRunning(owner), 20_000)
  })

  it(
    'lose no acknowledged note and write none twice, however often the process or the relay is killed',
    async () => {
      const { home, workspace } = await prepareFolders({})
      const acknowledged: string[] = []
      let program = await startStdio(['mcp', '--home', home])
      for (let round = 0; round < rounds(4, 1000); round += 1) {
        const note = `Fact number ${round} is about place ${round * 7}.`
        const saved = program.call('remember', { text: note })
        await sleep(Math.random() * 120)
        if (round % 2 === 0) process.kill(await ownerOf(home), 'SIGKILL')
        else program.killGroup()
        const answer = await saved.catch(() => undefined)
        if (answer && /^(?:saved|already there)/.test(textOf(answer))) acknowledged.push(note)
        if (round % 2 === 1) program = await startStdio(['mcp', '--home', home])
      }
      const log = await readFile(join(workspace, `memory/${new Date().toLocaleDateString('sv')}.md`), 'utf8')
      expect(acknowledged.length).toBeGreaterThan(0)
      for (const note of acknowledged) expect(log.split(note)).toHaveLength(2)
    },
    rounds(120_000, 3_600_000),
  )

  it('are served by their own process where no other one can be started', async () => {
    const { home } = await prepareFolders({ files: { 'tea.md': 'Lena likes jasmine tea.\n' } })
    const allowed = ['fs-read=*', 'fs-write=*', 'worker', 'addons'].map((right) => `--allow-${right}`)
    const program = await startStdio(['mcp', '--home', home], ['--permission', ...allowed])
    expect(program.errors()).toContain('this one serves it alone')
    expect(textOf(await program.call('memory_search', { query: 'Which tea does Lena like?' }))).toContain('tea.md:1')
  })
})
