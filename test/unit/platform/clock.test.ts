import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { clockWithOffset, systemClock } from '../../../src/main/platform/clock.ts'

const folder = fileURLToPath(new URL('../../../src/main/', import.meta.url))
const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .map((file) => file.replaceAll('\\', '/'))
  .filter((file) => file.endsWith('.ts'))

function filesWith(pattern: RegExp): string[] {
  return files.filter((file) => pattern.test(readFileSync(join(folder, file), 'utf8'))).sort()
}

describe('clock', () => {
  it('is the only code that reads the system time', () => {
    expect(filesWith(/\bDate\.now\b|new Date\(\s*\)|\bDate\(\)/)).toEqual(['platform/clock.ts'])
  })

  it('keeps its offset in another thread', () => {
    const inTwoDays = () => new Date(Date.now() + 172_800_000)
    const apart = clockWithOffset(inTwoDays().getTime() - systemClock().getTime())().getTime() - inTwoDays().getTime()
    expect(Math.abs(apart)).toBeLessThan(1000)
  })
})
