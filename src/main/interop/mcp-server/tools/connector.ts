import { z } from 'zod'
import { AppError } from '#shared/util/errors.ts'
import { maxPath, maxQuery } from '#shared/util/limits.ts'
import { boundedText, dataNotice, fenced, label, roomFor, defaultTokens } from '../bounded-answer.ts'
import { noteUri } from '../note-uri.ts'
import { assertLineExists, linesFrom, placeOf } from './lines-from.ts'
import type { MemoryTool } from './memory-tool.ts'

const linesBefore = 10
const maxLines = 5000
const maxResults = 20

const searchInput = z.object({ query: z.string().trim().min(1).max(maxQuery) })
const searchOutput = z.object({
  results: z.array(z.object({ id: z.string(), title: z.string(), url: z.string() })),
})

export const search: MemoryTool<typeof searchInput, typeof searchOutput> = {
  name: 'search',
  title: 'Search (connector)',
  description:
    "Searches the user's long-term memory and returns ids to read with fetch. For connectors; memory_search returns more in one call.",
  input: searchInput,
  output: searchOutput,
  isReadOnly: true,
  async run({ query }, asker) {
    const { agent, client, ask } = asker
    const { results, standstill } = await ask((owner) =>
      owner.search.query({ agent, query, forProgram: client, options: { maxResults } }),
    )
    // The output has no field for a hint, and an empty result would mislead.
    if (results.length === 0 && standstill !== undefined)
      throw new AppError('index_unavailable', `recent changes are not searched: ${standstill}`)
    const shown = results.map(async (result) => {
      const { path, heading } = result
      const { line, character } = await placeOf(result, asker)
      return {
        id: noteId(path, line, character),
        title: label(heading === '' ? path : `${heading} · ${path}`),
        url: noteUri(path, line),
      }
    })
    return { results: await Promise.all(shown) }
  },
}

/** Builds an id such as `memory/2026-01-20.md:12`, read with context; `+3001` starts at that character (1-based). */
function noteId(path: string, line: number, character?: number): string {
  return `${path}:${line}${character === undefined ? '' : `+${character}`}`
}

const fetchInput = z.object({
  id: z
    .string()
    .min(1)
    .max(maxPath + 20)
    .describe('Id from search'),
})
const fetchOutput = z.object({
  id: z.string(),
  title: z.string(),
  text: z.string(),
  url: z.string(),
  metadata: z.record(z.string(), z.string()).optional(),
})

export const fetchNote: MemoryTool<typeof fetchInput, typeof fetchOutput> = {
  name: 'fetch',
  title: 'Fetch (connector)',
  description: 'Reads the note behind an id from search, starting at the passage that was found.',
  input: fetchInput,
  output: fetchOutput,
  isReadOnly: true,
  async run({ id }, { agent, client, ask }) {
    const [, path = id, line = '1', character] = /^(.+):(\d{1,9})(?:\+(\d{1,9}))?$/s.exec(id) ?? []
    if (path.includes('://')) throw new AppError('input_invalid', 'use an id from search', { reason: 'id' })
    const fromCharacter = Math.max(1, Number(character ?? 1))
    const asked = Math.max(1, Number(line))
    const first = character === undefined ? Math.max(1, asked - linesBefore) : asked
    const read = await ask((owner) =>
      owner.workspace.lines({ agent, path, from: first, count: maxLines, forProgram: client }),
    )
    assertLineExists(path, read.total, asked)
    const rest = (from: number) => ({
      id,
      title: label(path),
      url: noteUri(path, from),
      metadata: { notice: dataNotice },
    })
    const shownFrom = (from: number) => {
      const lines = read.lines.slice(from - first)
      const { character, ...wanted } = linesFrom(path, { lines, total: read.total }, from, fromCharacter)
      return { from, character, ...boundedText(wanted.lines, roomFor(defaultTokens, rest(from))) }
    }
    const withContext = shownFrom(first)
    // If the context lines leave no room, start at the requested line.
    const isThere = first + withContext.lines.length > asked || read.lines.length <= asked - first
    const { from, character: begun, lines, cutAt } = isThere ? withContext : shownFrom(asked)
    const last = from + lines.length - 1
    const next = cutAt === undefined ? noteId(path, last + 1, 1) : noteId(path, from, begun + cutAt)
    const more = last < read.total || cutAt !== undefined ? { more: `fetch ${next}` } : {}
    const place = `${from}–${last} of ${read.total}`
    const { metadata, ...named } = rest(from)
    return { ...named, text: fenced(lines.join('\n')), metadata: { ...metadata, lines: place, ...more } }
  },
}
