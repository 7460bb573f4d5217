import { execFileSync } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openTestApp } from '../../support/app.ts'
import { until } from '../../support/folder.ts'

async function openHistory() {
  const { app, workspace } = await openTestApp({ now: () => new Date(2026, 0, 20, 10), watch: true })
  const agent = await app.agents.get('main')
  const set = (key: 'enabled', value: boolean) => app.settings.set([['agents', 'defaults', 'history', key], value])
  const told = async () => {
    await agent.history?.flush()
    return (await agent.history?.timeline({ limit: 1000 })) ?? []
  }
  return { agent, workspace, set, told }
}

describe('history settings', () => {
  it('turns the history off and on; changes in between have the cause outside', async () => {
    const { agent, set, told } = await openHistory()
    await agent.workspace.write('memory/a.md', 'one\n', { cause: 'agent' })
    await set('enabled', false)
    await until(() => agent.history === undefined)
    await agent.workspace.write('memory/a.md', 'two\n', { cause: 'agent' })
    await set('enabled', true)
    await until(() => agent.history !== undefined)
    await told()
    await agent.workspace.write('memory/a.md', 'three\n', { cause: 'user' })
    const changes = (await told()).filter(({ file }) => file.path === 'memory/a.md')
    expect(changes.map(({ cause }) => cause)).toEqual(['user', 'outside', 'agent'])
  })

  it('records the last text of every file while the setting is toggled during writes', async () => {
    const { agent, workspace, set, told } = await openHistory()
    const toggle = async () => {
      for (let round = 0; round < 6; round += 1) await set('enabled', round % 2 === 1)
    }
    const write = async () => {
      for (let number = 0; number < 60; number += 1)
        await agent.workspace.write(`memory/${number % 20}.md`, `text ${number}\n`, { cause: 'agent' })
    }
    await Promise.all([toggle(), write()])
    await until(() => agent.history !== undefined)
    await told()
    const { history } = agent
    if (!history) throw new Error('the history is off')
    const git = (...args: string[]) =>
      execFileSync('git', ['--git-dir', history.repository, ...args], { encoding: 'utf8' })
    for (let number = 0; number < 20; number += 1) {
      const path = `memory/${number}.md`
      expect(git('show', `main:${path}`)).toBe(await readFile(join(workspace, path), 'utf8'))
    }
    expect(git('fsck', '--strict', '--no-dangling')).toBe('')
  })
})
