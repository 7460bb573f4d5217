import { describe, expect, it } from 'vitest'
import {
  relocateLines,
  formatSavedQueries,
  parseSavedQueries,
} from '../../../src/main/curation/saved-queries/saved-queries.ts'

const kept = { path: 'MEMORY.md', startLine: 2, endLine: 3, text: '- port 5433\n- user ann' }

describe('expected lines of saved queries', () => {
  it.each([
    ['stays', 'a\n- port 5433\n- user ann\n', { startLine: 2, endLine: 3, state: 'there' }],
    ['moved down', 'a\nb\nc\n- port 5433\n- user ann\n', { startLine: 4, endLine: 5, state: 'there' }],
    [
      'exists twice',
      '- port 5433\n- user ann\nx\ny\nz\n- port 5433\n- user ann',
      { startLine: 1, endLine: 2, state: 'there' },
    ],
    ['was rewritten', 'a\n- port 5434\n- user ann\n', { startLine: 2, endLine: 3, state: 'changed' }],
    ['is past the end', 'a', { startLine: 2, endLine: 3, state: 'gone' }],
    ['file was deleted', undefined, { startLine: 2, endLine: 3, state: 'gone' }],
  ])(' %s', (_, text, { startLine, endLine, state }) => {
    const followed = relocateLines(kept, text)
    expect({ ...followed.lines, state: followed.state }).toEqual({ ...kept, startLine, endLine, state })
  })

  it('picks the nearer of two equal places, on either side', () => {
    const text = '- port 5433\n- user ann\nc\nd\ne\nf\ng\n- port 5433\n- user ann\n'
    expect(relocateLines({ ...kept, startLine: 6, endLine: 7 }, text).lines).toMatchObject({ startLine: 8, endLine: 9 })
    expect(relocateLines({ ...kept, startLine: 3, endLine: 4 }, text).lines).toMatchObject({ startLine: 1, endLine: 2 })
  })

  it('lines without a stored text take the current text', () => {
    const { lines } = relocateLines({ path: 'a.md', startLine: 2, endLine: 2 }, 'x\n数据库\n')
    expect(lines.text).toBe('数据库')
  })

  it('skips only the torn line of the file', () => {
    const check = { id: '1', query: '端口？', relevant: [kept] }
    expect(parseSavedQueries(`${formatSavedQueries([check])}{"id":"2","que`)).toEqual([check])
  })
})
