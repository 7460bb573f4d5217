import { mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openLog, RotatingFile } from '../../../src/main/platform/logging/log.ts'
import { temporaryFolder } from '../../support/folder.ts'

describe('log file', () => {
  it('counts lines that cannot be written and reports the count later', async () => {
    const folder = join(await temporaryFolder(), 'logs')
    writeFileSync(folder, 'a file in place of the folder')
    const log = new RotatingFile(join(folder, 'a.log'))
    for (let line = 0; line < 3; line += 1) log.write('lost\n')
    rmSync(folder)
    log.write('kept\n')
    const lines = readFileSync(join(folder, 'a.log'), 'utf8').trim().split('\n')
    expect(lines).toEqual([expect.stringContaining('"dropped":3'), 'kept'])
  })

  it('reopens a file that was moved or whose folder was deleted', async () => {
    const folder = await temporaryFolder()
    const log = new RotatingFile(join(folder, 'logs/a.log'))
    log.write('one\n')
    renameSync(join(folder, 'logs'), join(folder, 'away'))
    log.write('two\n')
    expect(readFileSync(join(folder, 'logs/a.log'), 'utf8')).toBe('two\n')
  })

  it('rotates at the size limit and keeps one old file', async () => {
    const folder = await temporaryFolder()
    mkdirSync(folder, { recursive: true })
    const log = new RotatingFile(join(folder, 'a.log'), 1000)
    for (let line = 0; line < 500; line += 1) log.write(`line ${line}\n`)
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
    expect(statSync(log.file).size).toBeLessThan(20_000)
  })
})
