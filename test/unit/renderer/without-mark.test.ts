import { expect, it } from 'vitest'
import { stripMarks } from '../../../src/renderer/curation/suggestion-text.ts'

it.each([
  ['- The rent is due ^[local]', 'The rent is due'],
  ['1. It rains ^[mcp: weather, 2026-11-22] ^[ Local ]', 'It rains'],
  ['A note of mine^[a footnote]', 'A note of mine^[a footnote]'],
])('%j is titled %j', (line, title) => {
  expect(stripMarks(line)).toBe(title)
})
