import { describe, expect, it } from 'vitest'
import type { IndexStatus } from '../../../src/shared/contract/index.ts'
import { Health, reportIndex, withFaultReports } from '../../../src/main/app/diagnostics/health.ts'

function openHealth() {
  let at = 1000
  const told: number[] = []
  const health = new Health(() => new Date(at))
  health.changes.subscribe(() => told.push(at))
  return { health, told, pass: (ms: number) => (at += ms), now: () => new Date(at) }
}

const status: IndexStatus = {
  files: 1,
  units: 1,
  embedded: 0,
  provider: 'none',
  model: '',
  state: 'ready',
  done: 0,
  total: 0,
  problems: [],
}

describe('health', () => {
  it('keeps the start time, emits each change once and removes cleared problems', async () => {
    const { health, told, pass } = openHealth()
    health.report({ part: 'disk', code: 'full', message: 'no space', level: 'bad' })
    health.report({ part: 'history', code: 'failing', message: 'EACCES', agent: 'main' })
    await Promise.resolve()
    expect(told).toHaveLength(1)
    pass(500)
    health.report({ part: 'disk', code: 'full', message: 'no space', level: 'bad' })
    await Promise.resolve()
    expect(told).toHaveLength(1)
    health.report({ part: 'disk', code: 'full', message: 'no space at all', level: 'bad' })
    expect(health.problems('main')).toMatchObject([
      { part: 'disk', since: 1000, message: 'no space at all' },
      { part: 'history', level: 'warning' },
    ])
    expect(health.problems('other').map(({ part }) => part)).toEqual(['disk'])
    health.clear('disk')
    health.clear('history', undefined, 'main')
    expect(health.problems('main')).toEqual([])
    await Promise.resolve()
    expect(told).toHaveLength(2)
  })

  it('reports index problems by part; problems no longer reported are cleared', () => {
    const { health } = openHealth()
    const problems = [
      { code: 'watch_limit', message: 'ENOSPC' },
      { code: 'provider_auth', message: 'no such key', since: 7 },
      { code: 'file_too_large', message: 'too large', path: 'memory/a.md' },
      { code: 'folder_unreadable', message: 'EACCES', path: '/elsewhere' },
    ]
    reportIndex(health, 'main', { ...status, problems, state: 'rebuilding' })
    expect(health.problems('main')).toMatchObject([
      { part: 'embeddings', since: 7, remedy: { kind: 'settings', section: 'models' } },
      { part: 'watcher', code: 'watch_limit' },
      { part: 'files', remedy: { kind: 'file', path: 'memory/a.md' } },
      { part: 'files', path: '/elsewhere' },
      { part: 'index', code: 'rebuilding', level: 'note' },
    ])
    reportIndex(health, 'main', status)
    expect(health.problems('main')).toEqual([])
  })

  it('counts the faults of the last hour and gives the newest reference', () => {
    const { health, now } = openHealth()
    let count = 0
    const log = { file: '', info: () => undefined, warn: () => undefined, fault: () => `ref${(count += 1)}` }
    const told = withFaultReports(log, health, now)
    told.fault(new Error('boom'), 'turn')
    expect(told.fault(new Error('again'), 'turn')).toBe('ref2')
    expect(health.problems()).toMatchObject([
      { part: 'app', code: 'faults', message: '2 in the last hour; the newest is ref2: turn: again' },
    ])
  })
})
