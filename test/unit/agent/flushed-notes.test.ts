import { describe, expect, it } from 'vitest'
import { digestLinesOf, shortenNotes } from '../../../src/main/agent/compaction/take-notes.ts'
import type { LinkedMessage } from '../../../src/main/agent/sessions/digest.ts'
import { visibilityOf } from '../../../src/shared/markdown/visibility.ts'

const long = `Rust over C ${'because of the borrow checker '.repeat(20)}end`
const shorten = (text: string) => shortenNotes(text, () => 'sessions/a.jsonl:7')

describe('notes of a flush', () => {
  it('are unchanged up to 300 characters', () => {
    const text = `\n## 10:30 - Title\nOne\n\ntwo\n- ${'a'.repeat(300)}\n\n- 10:31 b\n  c\n`
    expect(shorten(text)).toBe(text)
  })

  it.each([
    ['a line', `- 10:30 ${long}`, '- 10:30 '],
    ['an item with further lines', `- 10:30 Rust over C\n  - ${long}\n  - more`, '- 10:30 '],
  ])('are cut at a word, with a link: %s', (_, text, start) => {
    const result = shorten(text)
    expect(result.startsWith(start)).toBe(true)
    const note = result.slice(start.length).split('\n', 1)[0] ?? ''
    expect(note).toMatch(/^[^`].*(?:checker|because|of|the|borrow) … \[sessions\/a\.jsonl:7\]$/)
    expect([...note.replace(/ … .*/, '')].length).toBeLessThanOrEqual(300)
    expect(shorten(result)).toBe(result)
  })

  it('cut texts without spaces, and keep privacy marks', () => {
    expect(shorten(`- 10:30 ${'猫'.repeat(400)}`)).toBe(`- 10:30 ${'猫'.repeat(300)} … [sessions/a.jsonl:7]`)
    const { privateLines } = visibilityOf(shorten(`- a\n- ${long} ^[private]\n- b`))
    expect([...privateLines]).toEqual([1])
  })

  it('are dropped if the log contains them', () => {
    const log = '# 2026-01-20\r\n\r\n- 10:29 Green tea\r\n'
    expect(shortenNotes('\n- 10:30 Green tea\n- 10:30 Green\n- Green tea', () => '', log)).toBe('\n- 10:30 Green')
    expect(shortenNotes('\n## 10:30 - Tea\n- Green tea\n', () => '', log)).toBe('')
    const once = shorten(`- 10:30 ${long}`)
    expect(shortenNotes(`- 10:31 ${long}`, () => 'sessions/a.jsonl:7', once)).toBe('')
  })

  it('are lines of the digest with their messages', () => {
    const say = (id: string, content: string): LinkedMessage => ({
      id,
      message: { role: 'user', content, timestamp: 0 },
    })
    const messages = [say('m1', 'We take Rust'), say('m2', 'The gate code is 4711'), say('m3', 'Thanks')]
    const patch = `--- a\n+++ b\n@@ -1,2 +1,9 @@\n # 2026-01-20\n-last\n+last\n+\n+- 10:30 We take Rust over C ^[private]\n+\n+## 10:31 - Gate\n+The code is 4711.\n+More.\n+- ${'word '.repeat(40)}`
    const lines = digestLinesOf([{ path: 'memory/2026-01-20.md', patch, added: 6, removed: 1, startLine: 2 }], messages)
    const note = 'memory/2026-01-20.md'
    expect(lines.slice(0, 2)).toEqual([
      { kind: 'note', text: 'We take Rust over C', messages: ['m1'], note },
      { kind: 'note', text: 'Gate', messages: ['m2'], note },
    ])
    expect(lines[2]?.text.length).toBeLessThanOrEqual(121)
    expect(lines[2]?.messages).toEqual([])
    expect(lines).toHaveLength(3)
  })
})
