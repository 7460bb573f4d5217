import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { aheadOf, clockAhead } from '../../../src/main/platform/clock.ts'

const folder = fileURLToPath(new URL('../../../src/main/', import.meta.url))
const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .map((file) => file.replaceAll('\\', '/'))
  .filter((file) => file.endsWith('.ts'))

function filesWith(pattern: RegExp): string[] {
  return files.filter((file) => pattern.test(readFileSync(join(folder, file), 'utf8'))).sort()
}

/** Where the system's clock may be what is meant. */
const systemClockUsers = {
  'app.ts': 'the clock of the app, where none is given',
  'cli/commands/mcp.ts': 'the same',
  'clock.ts': 'here it is',
  'log-file.ts': 'a line of the log, like those that the logger stamps',
  'memory/search/searcher.ts': 'where no thread was told another',
  'models/model.ts': 'where a model is made without the app',
  'models/offline/offline.ts': 'the same',
  'owner/ownership.ts': 'since when a process is there',
  'owner/resident.ts': 'the clock of the app, where none is given',
  'network/retry-after.ts': 'a date that a server gives is of the world’s clock',
  'sessions/transcript.ts': 'where a transcript is opened without the app',
  'workspace/workspace.ts': 'the same for a workspace',
}

describe('M35 one clock', () => {
  it('M35: nobody asks the system what time it is, but the clock and the file system’s', () => {
    expect(filesWith(/\bDate\.now\b|new Date\(\s*\)|\bDate\(\)/)).toEqual(['clock.ts', 'files/time.ts'])
  })

  it('M35: the system’s clock stands in for the app’s only where it is known why', () => {
    expect(filesWith(/\bsystemClock\b/)).toEqual(Object.keys(systemClockUsers).sort())
  })

  it('M35: a clock in another thread goes ahead like the one it stands for', () => {
    const inTwoDays = () => new Date(Date.now() + 172_800_000)
    const apart = clockAhead(aheadOf(inTwoDays))().getTime() - inTwoDays().getTime()
    expect(Math.abs(apart)).toBeLessThan(1000)
  })
})
