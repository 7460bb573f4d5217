import fc from 'fast-check'
import { encode as cl100k } from 'gpt-tokenizer/encoding/cl100k_base'
import { encode as o200k } from 'gpt-tokenizer/encoding/o200k_base'
import { describe, expect, it } from 'vitest'
import {
  takeFitting,
  clipToTokens,
  wrapMemory,
  maxTokensOf,
} from '../../../src/main/interop/mcp-server/bounded-answer.ts'
import { clientId, clientName } from '../../../src/main/interop/mcp-server/caller.ts'
import { noteUri, pathOfUri, completionsOf, pageOf } from '../../../src/main/interop/mcp-server/mcp-resources.ts'

describe('token limit of answers', () => {
  it.each([
    ['prose', 'The database is PostgreSQL 17, decided in May because of its extensions. '.repeat(40)],
    ['json', JSON.stringify({ a: [1, 2.5, null], path: 'memory/2026-01-20.md', text: 'a "b" \\ c\n' }).repeat(40)],
    ['base64', Buffer.from(Array.from({ length: 3000 }, (_, i) => (i * 7919) % 251)).toString('base64')],
    ['Chinese', '我们在五月决定使用数据库，因为它的扩展很多。'.repeat(60)],
    ['Russian', 'Съешь же ещё этих мягких французских булок'.repeat(60)],
    ['emoji', '😀🧑‍🤝‍🧑🦄🪿'.repeat(60)],
    ['line breaks', '\n\n \n\t\t \n'.repeat(60)],
  ])('the bound for %s is never below model counts, and not far above', (_name, text) => {
    const counted = Math.max(cl100k(text).length, o200k(text).length)
    expect(maxTokensOf(text)).toBeGreaterThanOrEqual(counted)
    expect(maxTokensOf(text)).toBeLessThan(counted * 3)
  })

  it('a clipped text fits, is a prefix, and has the maximum length', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 300 }), fc.integer({ min: 0, max: 60 }), (text, tokens) => {
        const part = clipToTokens(text, tokens)
        if (part === text) return
        expect(text.startsWith(part.replace(/…$/, '').replace(/\uFFFD$/, ''))).toBe(true)
        if (part !== '') expect(maxTokensOf(JSON.stringify(part))).toBeLessThanOrEqual(tokens + 3)
      }),
    )
  })

  it('keeps items in order while they fit; cuts the first one if it does not fit', () => {
    const show = (text: string) => text
    expect(takeFitting(['one', 'two', 'three'], 100, show, clipToTokens)).toEqual(['one', 'two', 'three'])
    expect(takeFitting(['one', 'two', 'three'], 7, show, clipToTokens)).toEqual(['one', 'two'])
    const shown = takeFitting(['word '.repeat(100), 'two'], 20, show, clipToTokens)
    expect({ begins: shown[0]?.startsWith('word word'), number: shown.length }).toEqual({
      begins: true,
      number: 1,
    })
    expect(takeFitting([], 0, show, clipToTokens)).toEqual([])
  })

  it('no text closes its fence', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('<', '/', ' ', 'memory', 'MEMORY', '>', '\n', '&lt;', 'x')),
        (parts) => wrapMemory(parts.join('')).match(/<\s*\/?\s*memory\b/gi)?.length === 2,
      ),
    )
  })
})

describe('URIs and names', () => {
  it('converts every path to a URI and back', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 }), (path) => {
        fc.pre(path.isWellFormed())
        expect(pathOfUri(noteUri(path, 3))).toBe(path)
      }),
    )
    expect(pathOfUri('note://')).toBeUndefined()
    expect(pathOfUri('file:///etc/passwd')).toBeUndefined()
    expect(pathOfUri('note://%')).toBeUndefined()
  })

  it.each([
    ['claude-code', 'claude-code', 'Claude Code'],
    ['  my\n agent\u202e ', 'my-agent', 'my agent'],
    ['クラウド', 'program-5182203c', 'クラウド'],
    [`${'x'.repeat(70)}1`, `${'x'.repeat(55)}-5d023c85`, 'x'.repeat(64)],
    ['', 'program', 'Another program'],
  ])('%j gets the id %s and the name %s', (said, id, name) => {
    expect([clientId(said), clientName(said)]).toEqual([id, name])
  })

  it('pages list every entry once while entries come and go', () => {
    const files = Array.from({ length: 250 }, (_, index) => `n${String(index).padStart(3, '0')}.md`).map((path) => ({
      path,
      kind: 'note' as const,
      size: 1,
      modifiedAt: 0,
      words: 1,
      tokens: 1,
    }))
    const first = pageOf(files, undefined)
    const second = pageOf(
      files.filter(({ path }) => path !== 'n050.md'),
      first.nextCursor,
    )
    const third = pageOf(files, second.nextCursor)
    const names = [first, second, third].flatMap(({ resources }) => resources.map(({ name }) => name))
    expect(names).toEqual(files.map(({ path }) => path))
    expect(third.nextCursor).toBeUndefined()
    expect(completionsOf(files, 'N00').values).toHaveLength(10)
    expect(completionsOf(files, '').values).toHaveLength(100)
  })
})
