import { EventEmitter } from 'node:events'
import { describe, expect, it } from 'vitest'
import { openLog } from '../../../src/main/platform/logging/log.ts'
import { handleUncaughtErrors } from '../../../src/main/app/diagnostics/uncaught.ts'
import { escapeControls } from '../../../src/main/app/cli/cli-output.ts'
import { temporaryFolder } from '../../support/folder.ts'

describe('uncaught errors', () => {
  it('logs and reports them; reports repetition once until it stops', async () => {
    const source = new EventEmitter()
    const told: { reference: string; isRepeated: boolean }[] = []
    let now = 0
    const log = openLog(await temporaryFolder())
    const stop = handleUncaughtErrors({ log, onFault: (fault) => told.push(fault), now: () => now }, source)
    for (let time = 0; time < 50; time += 1) source.emit('uncaughtException', new Error('x'))
    expect(told.map(({ isRepeated }) => isRepeated)).toEqual([...Array.from({ length: 10 }, () => false), true])
    expect(told[0]?.reference).toMatch(/^[0-9a-f]{8}$/)
    now = 120_000
    source.emit('uncaughtException', 'no error at all')
    expect(told.at(-1)?.isRepeated).toBe(false)
    stop()
    expect(source.listenerCount('uncaughtException')).toBe(0)
  })
})

describe('terminal output', () => {
  it.each([
    ['\u001b[2J\u001b]0;title\u0007', '\\u001b[2J\\u001b]0;title\\u0007'],
    ['ab\u202egpj.exe', 'ab\\u202egpj.exe'],
    ['over\rwritten', 'over\\u000dwritten'],
  ])('%j contains no control sequences', (text, shown) => {
    expect(escapeControls(text)).toBe(shown)
    expect(JSON.parse(escapeControls(JSON.stringify({ text })))).toEqual({ text })
  })
})
