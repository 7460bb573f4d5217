import { describe, expect, it, vi } from 'vitest'
import { type MemorySources, VisibleMemory } from '../../../src/main/agent/privacy/visible-memory.ts'
import { memorySearchTool } from '../../../src/main/agent/tools/built-in-tools.ts'
import type { ToolContext } from '../../../src/main/agent/tools/tool.ts'
import { marksBy } from '../../../src/main/workspace/privacy/index.ts'
import type { SearchResponse, SearchResult } from '../../../src/shared/contract/index.ts'
import { AppError } from '../../../src/shared/util/errors.ts'

function result(path: string, startLine: number, snippet: string, more: Partial<SearchResult> = {}): SearchResult {
  const scores = { score: 0.71234, vectorScore: 0.4, textScore: 0.5 }
  return {
    path,
    startLine,
    endLine: startLine,
    heading: 'H',
    snippet,
    matched: [],
    source: 'memory',
    ...scores,
    ...more,
  }
}

interface SearchCase {
  readonly results?: readonly SearchResult[]
  readonly response?: Partial<SearchResponse>
  /** Current texts of the notes by path. */
  readonly notes?: Readonly<Record<string, string>>
  readonly seesPrivate?: boolean
}

async function search({ results = [], response = {}, notes = {}, seesPrivate = true }: SearchCase) {
  const memory = {
    search: vi.fn(async (query: string): Promise<SearchResponse> => ({
      query,
      results: [...results],
      weak: [],
      candidates: 7,
      provider: 'builtin',
      model: 'm',
      stale: false,
      minScore: 0.25,
      weights: null,
      notice: null,
      timings: { embedMs: 1, totalMs: 3 },
      ...response,
    })),
  }
  const workspace = {
    read: async (path: string) => {
      const text = notes[path]
      if (text === undefined) throw new AppError('file_not_found', path)
      return { text }
    },
    realPath: async (path: string) => path,
  }
  const sources = { memory, workspace, readNote: workspace.read, marks: () => marksBy([]), settle: async () => true }
  const visible = new VisibleMemory(sources as unknown as MemorySources, { seesPrivate })
  const context = { visible, session: 's1' }
  const outcome = await memorySearchTool.run({ query: 'rent' }, context as unknown as ToolContext, 'c1')
  return { ...outcome, lines: outcome.text.split('\n'), asked: memory.search.mock.calls[0] }
}

describe('memory_search', () => {
  it('gives one line for each result, with its date unless the path has it', async () => {
    const { lines } = await search({
      results: [
        result('notes/flat.md', 12, 'The rent is 1,450 euros,\nheating included', { endLine: 13, date: '2026-01-15' }),
        result('memory/2026-01-20.md', 4, 'The rent rises in May', { date: '2026-01-20' }),
        result('MEMORY.md', 3, 'The landlord is Otto'),
      ],
    })
    expect(lines).toEqual([
      'notes/flat.md:12-13 · 0.71 · 2026-01-15 · The rent is 1,450 euros, heating included',
      'memory/2026-01-20.md:4 · 0.71 · The rent rises in May',
      'MEMORY.md:3 · 0.71 · The landlord is Otto',
      'Embeddings: builtin m',
    ])
  })

  it('names the end of validity, the replacement, and the source of an imported note', async () => {
    const { lines } = await search({
      results: [
        result('old.md', 5, 'The rent is 1,200', { superseded: { until: '2026-05-03', by: 'MEMORY.md:9' } }),
        result('MEMORY.md', 8, 'The flat is on the left', { superseded: { until: '2026-06-01' } }),
        result('page.md', 4, 'Rents rise'),
      ],
      notes: { 'page.md': '---\nsource: "web: news.example, 2026-01-20"\n---\nRents rise\n' },
    })
    expect(lines).toEqual([
      'old.md:5 · 0.71 · The rent is 1,200 (until 2026-05-03; now MEMORY.md:9)',
      'MEMORY.md:8 · 0.71 · The flat is on the left (until 2026-06-01)',
      'page.md:4 · 0.71 · Rents rise (from web: news.example)',
      'Embeddings: builtin m',
    ])
  })

  it('names filters that were not understood, and changes that are not searched', async () => {
    const condition = { isOff: false, from: null, to: null }
    const { lines } = await search({
      results: [result('MEMORY.md', 3, 'The landlord is Otto')],
      response: {
        conditions: [
          { ...condition, kind: 'in', text: 'in:spring', isUnread: true },
          { ...condition, kind: 'tag', text: 'tag:flat' },
        ],
        standstill: 'the disk is full',
      },
    })
    expect(lines.slice(1)).toEqual([
      'Not understood, searched as words: in:spring',
      'Recent changes are not searched: the disk is full.',
      'Embeddings: builtin m',
    ])
  })

  it.each([
    ['provider_failed', true],
    ['vectors_off', false],
  ] as const)('after %s, the text for the model says that meaning was not searched: %s', async (code, isTold) => {
    const { text } = await search({ response: { notice: { code, message: 'no answer' } } })
    expect(text.includes('Only words were searched, not meaning: no answer.')).toBe(isTold)
  })

  it('searches private notes only in a private chat, without sending the query', async () => {
    const inPrivate = await search({ seesPrivate: true })
    expect(inPrivate.asked?.slice(0, 2)).toMatchObject([
      'rent',
      { excludeSession: 's1', hasPrivate: true, staysHere: true },
    ])
    const inOpen = await search({ seesPrivate: false })
    expect(inOpen.asked?.slice(0, 2)).toMatchObject(['rent', { hasPrivate: false, staysHere: false }])
  })

  it('drops results in an open chat if the current note has private lines there, or is missing', async () => {
    const found = {
      results: [
        result('MEMORY.md', 1, 'The rent is 1,450', { endLine: 2 }),
        result('MEMORY.md', 4, 'The door is green'),
        result('private.md', 4, 'The key is under the pot'),
        result('gone.md', 1, 'The cellar is dry'),
      ],
      notes: {
        'MEMORY.md': 'The rent\nis 1,450 ^[local]\n\nThe door is green\n',
        'private.md': '---\nvisibility: local\n---\nThe key is under the pot\n',
      },
    }
    const open = await search({ ...found, seesPrivate: false })
    expect(open.lines).toEqual(['MEMORY.md:4 · 0.71 · The door is green', 'Embeddings: builtin m'])
    expect(open.details).toMatchObject({ recall: { results: [{ path: 'MEMORY.md', startLine: 4 }] } })
    const { lines } = await search({ ...found, seesPrivate: true })
    expect(lines).toHaveLength(5)
  })
})
