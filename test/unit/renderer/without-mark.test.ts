import { expect, it } from 'vitest'
import { withoutLead } from '../../../src/shared/markdown/blocks/line-starts.ts'
import { withoutMarks } from '../../../src/shared/markdown/visibility.ts'

it.each([
  ['- The rent is due ^[local]', 'The rent is due'],
  ['1. It rains ^[mcp: weather, 2026-11-22] ^[ Local ]', 'It rains'],
  ['A note of mine^[a footnote]', 'A note of mine^[a footnote]'],
])('%j is titled %j', (line, title) => {
  expect(withoutMarks(withoutLead(line)).trim()).toBe(title)
})
