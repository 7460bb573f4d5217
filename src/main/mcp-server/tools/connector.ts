/** `search` and `fetch` in the very form that ChatGPT's connectors expect. */
import { z } from 'zod'
import { AppError } from '../../../shared/errors.ts'
import { maxPath, maxQuery } from '../../../shared/limits.ts'
import { boundedText, dataNotice, fenced, label, roomFor, usualTokens } from '../answer.ts'
import { noteUri } from '../note-uri.ts'
import type { MemoryTool } from './tool.ts'

/** Lines before a passage that are read with it. */
const linesBefore = 10
/** Lines that are asked of the owner; more have no room in any answer. */
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
    "Searches the user's long-term memory and returns ids to read with fetch. For connectors; memory_search says more in one call.",
  input: searchInput,
  output: searchOutput,
  isReadOnly: true,
  async run({ query }, { agent, client, ask }) {
    const { results } = await ask((owner) =>
      owner.search.query({ agent, query, forProgram: client, options: { maxResults } }),
    )
    return {
      results: results.map(({ path, startLine, heading }) => ({
        id: `${path}:${startLine}`,
        title: label(heading === '' ? path : `${heading} · ${path}`),
        url: noteUri(path, startLine),
      })),
    }
  },
}

const fetchInput = z.object({
  id: z
    .string()
    .min(1)
    .max(maxPath + 10)
    .describe('As search returned it'),
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
  description: 'Reads the note behind an id that search returned, from the passage that was found on.',
  input: fetchInput,
  output: fetchOutput,
  isReadOnly: true,
  async run({ id }, { agent, client, ask }) {
    const [, path = id, line = '1'] = /^(.+):(\d{1,9})$/s.exec(id) ?? []
    if (path.includes('://')) throw new AppError('input_invalid', 'give an id that search returned', { reason: 'id' })
    const from = Math.max(1, Number(line) - linesBefore)
    const read = await ask((owner) => owner.workspace.lines({ agent, path, from, count: maxLines, forProgram: client }))
    const rest = { id, title: label(path), url: noteUri(path, from), metadata: { notice: dataNotice } }
    const { lines, cutAt } = boundedText(read.lines, roomFor(usualTokens, rest))
    const last = from + lines.length - 1
    const next =
      cutAt === undefined
        ? `fetch ${path}:${last + 1 + linesBefore}`
        : `memory_get with path ${label(path)}, from: ${from}, fromCharacter: ${cutAt + 1}`
    const more = last < read.total || cutAt !== undefined ? { more: next } : {}
    const place = `${from}–${last} of ${read.total}`
    return { ...rest, text: fenced(lines.join('\n')), metadata: { ...rest.metadata, lines: place, ...more } }
  },
}
