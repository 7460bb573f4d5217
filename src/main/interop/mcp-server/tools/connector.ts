import { z } from 'zod'
import type { SearchResult } from '#shared/contract/index.ts'
import { AppError } from '#shared/util/errors.ts'
import { assertLineExists } from '#shared/util/file-lines.ts'
import { maxPath } from '#shared/util/limits.ts'
import {
  fittingText,
  linesStartingAt,
  dataNotice,
  wrapMemory,
  toLabel,
  tokensForItems,
  defaultAnswerTokens,
} from '../bounded-answer.ts'
import { noteUri } from '../mcp-resources.ts'
import { queryParameter, type MemoryTool, type MemoryToolContext, type ToolAnswer } from './memory-tool.ts'

const contextLines = 10
const maxLines = 5000
const maxResults = 20
/** From this length, UTF-16 code units, a line may not fit in an answer. */
const longLineLength = 2000
/** A result can join several parts of a line. Then only its beginning is searched in the line, this many characters. */
const locatedCharacters = 80

const searchInput = z.object({ query: queryParameter })
const searchOutput = z.object({
  results: z.array(z.object({ id: z.string(), title: z.string(), url: z.string() })),
})

export const searchTool: MemoryTool<typeof searchInput> = {
  name: 'search',
  title: 'Search',
  description: "Searches the user's long-term memory and returns ids to read with fetch.",
  input: searchInput,
  output: searchOutput,
  async run({ query }, context) {
    const { agent, client, ask } = context
    const { results, standstill } = await ask((primary) =>
      primary.search.query({ agent, query, forProgram: client, options: { maxResults } }),
    )
    // The output has no field for a hint, and an empty result would mislead.
    if (results.length === 0 && standstill !== undefined)
      throw new AppError('index_unavailable', `recent changes are not searched: ${standstill}`)
    const entries = results.map(async (result) => {
      const { path, heading, startLine } = result
      return {
        id: noteId(path, startLine, await findCharacter(result, context)),
        title: toLabel(heading === '' ? path : `${heading} · ${path}`),
        url: noteUri(path, startLine),
      }
    })
    return jsonAnswer<typeof searchOutput>({ results: await Promise.all(entries) })
  },
}

function jsonAnswer<Output extends z.ZodObject>(structured: z.infer<Output>): ToolAnswer {
  return { lines: [JSON.stringify(structured)], structured }
}

/** Returns the 1-based character at which a result starts in a long line; undefined for a short line or its start. */
async function findCharacter(
  { path, startLine, endLine, snippet }: SearchResult,
  { agent, client, ask }: MemoryToolContext,
): Promise<number | undefined> {
  if (startLine !== endLine) return undefined
  const note = await ask((primary) =>
    primary.workspace.lines({ agent, path, from: startLine, count: 1, forProgram: client }),
  )
  const [text = ''] = note.lines
  if (text.length < longLineLength) return undefined
  const wholeAt = text.indexOf(snippet)
  const at = wholeAt < 0 ? text.indexOf(snippet.slice(0, locatedCharacters)) : wholeAt
  return at < 1 ? undefined : at + 1
}

/** Such as `memory/2026-01-20.md:12`, or with `+3001` to start at that character (1-based). */
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

export const fetchTool: MemoryTool<typeof fetchInput> = {
  name: 'fetch',
  title: 'Fetch',
  description: 'Reads the note behind an id from search, starting at the text that was found.',
  input: fetchInput,
  output: fetchOutput,
  async run({ id }, { agent, client, ask }) {
    // An id without a line is a path.
    const [, path = id, line = '1', character] = /^(.+):(\d{1,9})(?:\+(\d{1,9}))?$/s.exec(id) ?? []
    if (path.includes('://')) throw new AppError('input_invalid', 'use an id from search', { reason: 'id' })
    const fromCharacter = Math.max(1, Number(character ?? 1))
    const requestedLine = Math.max(1, Number(line))
    const firstLine = character === undefined ? Math.max(1, requestedLine - contextLines) : requestedLine
    const note = await ask((primary) =>
      primary.workspace.lines({ agent, path, from: firstLine, count: maxLines, forProgram: client }),
    )
    assertLineExists(toLabel(path), note.total, requestedLine)
    const fieldsWithoutText = (from: number) => ({
      id,
      title: toLabel(path),
      url: noteUri(path, from),
      metadata: { notice: dataNotice },
    })
    const fitFrom = (from: number) => {
      const lines = note.lines.slice(from - firstLine)
      const { character: shownFrom, ...section } = linesStartingAt(
        path,
        { lines, total: note.total },
        from,
        fromCharacter,
      )
      const limit = tokensForItems(defaultAnswerTokens, fieldsWithoutText(from))
      return { from, shownFrom, ...fittingText(section.lines, limit) }
    }
    const withContext = fitFrom(firstLine)
    // If the requested line does not fit after the context lines, the answer starts at the requested line.
    const showsRequestedLine =
      firstLine + withContext.lines.length > requestedLine || note.lines.length <= requestedLine - firstLine
    const { from, shownFrom, lines, cutAt } = showsRequestedLine ? withContext : fitFrom(requestedLine)
    const lastLine = from + lines.length - 1
    // An answer that was cut within its only line continues in that line.
    const nextId = cutAt === undefined ? noteId(path, lastLine + 1, 1) : noteId(path, from, shownFrom + cutAt)
    const more = lastLine < note.total || cutAt !== undefined ? { more: `fetch ${nextId}` } : {}
    const lineRange = `${from}–${lastLine} of ${note.total}`
    const { metadata, ...fields } = fieldsWithoutText(from)
    const text = wrapMemory(lines.join('\n'), note.sources)
    return jsonAnswer<typeof fetchOutput>({ ...fields, text, metadata: { ...metadata, lines: lineRange, ...more } })
  },
}
