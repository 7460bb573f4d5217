import { mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { LogFile } from '../../../src/main/platform/logging/log.ts'
import { openLog } from '../../../src/main/platform/logging/log.ts'
import { temporaryFolder } from '../../support/folder.ts'

describe('log file', () => {
  it('counts lines that cannot be written and reports the count later', async () => {
    const folder = join(await temporaryFolder(), 'logs')
    writeFileSync(folder, 'a file in place of the folder')
    let now = 0
    const log = new LogFile(join(folder, 'a.log'), { now: () => now })
    for (let line = 0; line < 3; line += 1) log.write('lost\n')
    rmSync(folder)
    now = 5000
    log.write('kept\n')
    log.close()
    const lines = readFileSync(join(folder, 'a.log'), 'utf8').trim().split('\n')
    expect(lines).toEqual([expect.stringContaining('"dropped":3'), 'kept'])
  })

  it('reopens a file that was moved or whose folder was deleted', async () => {
    const folder = await temporaryFolder()
    let now = 0
    const log = new LogFile(join(folder, 'logs/a.log'), { now: () => now })
    log.write('one\n')
    renameSync(join(folder, 'logs'), join(folder, 'away'))
    now += 2000
    log.write('two\n')
    log.close()
    expect(readFileSync(join(folder, 'logs/a.log'), 'utf8')).toBe('two\n')
  })

  it('rotates at the size limit and keeps one old file', async () => {
    const folder = await temporaryFolder()
    mkdirSync(folder, { recursive: true })
    const log = new LogFile(join(folder, 'a.log'), { maxBytes: 1000 })
    for (let line = 0; line < 500; line += 1) log.write(`line ${line}\n`)
    log.close()
    expect(statSync(join(folder, 'a.log')).size).toBeLessThanOrEqual(1000)
    expect(statSync(join(folder, 'a.log.old')).size).toBeLessThanOrEqual(1000)
    expect(readFileSync(join(folder, 'a.log'), 'utf8')).toContain('line 499\n')
  })

  it('logs any thrown value as a fault', async () => {
    const log = openLog(await temporaryFolder())
    const circle: { self?: unknown } = {}
    circle.self = circle
    const odd = [
      Object.create(null),
      Symbol('x'),
      undefined,
      new Error('x'.repeat(1_000_000), { cause: Object.create(null) }),
    ]
    for (const error of odd) expect(log.fault(error, 'odd')).toMatch(/^[0-9a-f]{8}$/)
    log.warn({ circle }, 'round')
    log.close()
    expect(statSync(log.file).size).toBeLessThan(20_000)
  })
})
