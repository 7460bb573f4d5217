import { mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openLog } from '../../../src/main/platform/logging/log.ts'
import { temporaryFolder } from '../../support/folder.ts'

describe('log file', () => {
  it('counts lines that cannot be written and reports the count later', async () => {
    const folder = join(await temporaryFolder(), 'logs')
    writeFileSync(folder, 'a file in place of the folder')
    // Opening it writes too.
    const log = openLog(folder)
    for (let line = 0; line < 2; line += 1) log.info({}, 'lost')
    rmSync(folder)
    log.info({}, 'kept')
    const lines = readFileSync(log.file, 'utf8').trim().split('\n')
    expect(lines).toEqual([expect.stringContaining('"dropped":3'), expect.stringContaining('"msg":"kept"')])
  })

  it('reopens a file that was moved or whose folder was deleted', async () => {
    const folder = await temporaryFolder()
    const log = openLog(join(folder, 'logs'))
    log.info({}, 'one')
    renameSync(join(folder, 'logs'), join(folder, 'away'))
    log.info({}, 'two')
    expect(readFileSync(log.file, 'utf8')).toMatch(/^\{.*"msg":"two"\}\n$/)
  })

  it('rotates at the size limit and keeps one old file', async () => {
    const folder = await temporaryFolder()
    mkdirSync(folder, { recursive: true })
    const log = openLog(folder, 1000)
    for (let line = 0; line < 500; line += 1) log.info({}, `line ${line}`)
    expect(statSync(log.file).size).toBeLessThanOrEqual(1000)
    expect(statSync(`${log.file}.old`).size).toBeLessThanOrEqual(1000)
    expect(readFileSync(log.file, 'utf8')).toMatch(/"msg":"line 499"\}\n$/)
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
