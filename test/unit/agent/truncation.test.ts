import { expect, it } from 'vitest'
import { truncatedWindow } from '../../../src/main/agent/context/context-window-estimates.ts'

const report = (estimatedTokens: number, reportedTokens: number | null, model = 'm') => ({
  model,
  estimatedTokens,
  reportedTokens,
})

it.each([
  ['the count stays', report(3000, 4096), report(3600, 4096), 4096],
  ['the count shrinks to half', report(3000, 4000), report(3600, 2048), 2048],
  ['the count grows', report(3000, 4000), report(3600, 4800), undefined],
  ['the count leaves out the cache', report(3000, 4000), report(3600, 700), undefined],
  ['another model counts', report(3000, 4000, 'n'), report(3600, 4000), undefined],
])('%s', (_name, last, now, window) => expect(truncatedWindow(last, now)).toBe(window))
