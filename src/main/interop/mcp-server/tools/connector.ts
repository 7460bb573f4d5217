import { z } from 'zod'
import { AppError } from '#shared/util/errors.ts'
import { maxPath, maxQuery } from '#shared/util/limits.ts'
import { fittingText, dataNotice, wrapMemory, label, tokensLeftFor, defaultAnswerTokens } from '../bounded-answer.ts'
import { noteUri } from '../note-uri.ts'
import { assertLineExists, linesFrom, findStart } from './lines-from.ts'
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
  async run({ query }, context) {
    const { agent, client, ask } = context
    const { results, standstill } = await ask((primary) =>
      primary.search.query({ agent, query, forProgram: client, options: { maxResults } }),
    )
    // The output has no field for a hint, and an empty result would mislead.
    if (results.length === 0 && standstill !== undefined)
      throw new AppError('index_unavailable', `recent changes are not searched: ${standstill}`)
    const entries = results.map(async (result) => {
      const { path, heading } = result
      const { line, character } = await findStart(result, context)
      return {
        id: noteId(path, line, character),
        title: label(heading === '' ? path : `${heading} · ${path}`),
        url: noteUri(path, line),
      }
    })
    return { results: await Promise.all(entries) }
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
    const requestedLine = Math.max(1, Number(line))
    const first = character === undefined ? Math.max(1, requestedLine - linesBefore) : requestedLine
    const read = await ask((primary) =>
      primary.workspace.lines({ agent, path, from: first, count: maxLines, forProgram: client }),
    )
    assertLineExists(path, read.total, requestedLine)
    const rest = (from: number) => ({
      id,
      title: label(path),
      url: noteUri(path, from),
      metadata: { notice: dataNotice },
    })
    const shownFrom = (from: number) => {
      const lines = read.lines.slice(from - first)
      const { character, ...wanted } = linesFrom(path, { lines, total: read.total }, from, fromCharacter)
      return { from, character, ...fittingText(wanted.lines, tokensLeftFor(defaultAnswerTokens, rest(from))) }
    }
    const withContext = shownFrom(first)
    // If the context lines leave no room, start at the requested line.
    const showsRequestedLine =
      first + withContext.lines.length > requestedLine || read.lines.length <= requestedLine - first
    const {
      from,
      character: firstCharacter,
      lines,
      cutAt,
    } = showsRequestedLine ? withContext : shownFrom(requestedLine)
    const last = from + lines.length - 1
    const next = cutAt === undefined ? noteId(path, last + 1, 1) : noteId(path, from, firstCharacter + cutAt)
    const more = last < read.total || cutAt !== undefined ? { more: `fetch ${next}` } : {}
    const lineRange = `${from}–${last} of ${read.total}`
    const { metadata, ...named } = rest(from)
    return { ...named, text: wrapMemory(lines.join('\n')), metadata: { ...metadata, lines: lineRange, ...more } }
  },
}
