import { describe, expect, it } from 'vitest'
import {
  relocateLines,
  formatSavedSearches,
  parseSavedSearches,
} from '../../../src/main/curation/saved-searches/saved-searches.ts'

const kept = { path: 'MEMORY.md', startLine: 2, endLine: 3, text: '- port 5433\n- user ann' }

describe('expected lines of saved queries', () => {
  it.each([
    ['moved down', 'a\nb\nc\n- port 5433\n- user ann\n', { startLine: 4, endLine: 5, state: 'there' }],
    ['was rewritten', 'a\n- port 5434\n- user ann\n', { startLine: 2, endLine: 3, state: 'changed' }],
    ['is past the end', 'a', { startLine: 2, endLine: 3, state: 'gone' }],
  ])(' %s', (_, text, { startLine, endLine, state }) => {
    const followed = relocateLines(kept, text)
    expect({ ...followed.lines, state: followed.state }).toEqual({ ...kept, startLine, endLine, state })
  })

  it('skips only the torn line of the file', () => {
    const check = { id: '1', query: '端口？', relevant: [kept] }
    expect(parseSavedSearches(`${formatSavedSearches([check])}{"id":"2","que`)).toEqual([check])
  })
})
