import { z } from 'zod'
import type { SearchResponse, SearchResult } from '#shared/contract/index.ts'
import { noteSources, sourceName, type Source } from '#shared/markdown/provenance.ts'
import { orUndefined } from '#shared/util/errors.ts'
import { recordedSearchSchema, searchSettingsSchema } from '#shared/contract/search.ts'
import { formatResult } from '#shared/util/format-result.ts'
import { sessionOfPath, transcriptText } from '#search'
import { defineTool, type ToolContext } from './tool.ts'

export const memorySearch = defineTool({
  name: 'memory_search',
  description:
    'Searches the notes by words and meaning. Mandatory before answering about prior work, decisions, dates, people, preferences or to-dos. Returns one entry a line, best first: path:line · date · text. memory_get reads what stands around an entry. Cite as [path:line]. An entry with (until DATE; now path:line) is no longer valid: answer with the entry that replaced it. The query may have filters: after: before: on: in: with a day, month or year (in:2024-05), path:projects/, tag:work, a property of notes (status:open) and -word.',
  readOnly: true,
  parameters: z.object({
    query: z.string().min(1).describe('What to search for, in the words that the notes probably use'),
    maxResults: searchSettingsSchema.shape.maxResults.max(50).optional(),
    minScore: searchSettingsSchema.shape.minScore
      .optional()
      .describe('Minimum probability that an entry answers the query; usually not needed'),
  }),
  async run({ query, maxResults, minScore }, context) {
    const { accessPolicy, memory, session, signal } = context
    const response = await memory.search(
      query,
      {
        excludeSession: session,
        maxResults,
        minScore,
        // The query may contain private text.
        staysHere: accessPolicy.seesPrivate,
        hasPrivate: accessPolicy.seesPrivate,
      },
      signal,
    )
    const files = new Map<string, Awaited<ReturnType<typeof readSearched>>>()
    for (const { path } of response.results) if (!files.has(path)) files.set(path, await readSearched(path, context))
    const results = await accessPolicy.visiblePlaces(response.results, async (path) => files.get(path))
    const sourcesOf = (path: string) =>
      sessionOfPath(path) === undefined ? noteSources(files.get(path)?.text ?? '') : []
    const lines = results.map((result) => lineOf(result, sourcesOf(result.path)))
    const remarks = remarksOn(response)
    return {
      text: [...(lines.length > 0 ? lines : ['No note answers this.']), ...remarks].join('\n'),
      // Removes the fields that are not recorded.
      details: { kind: 'recall', recall: recordedSearchSchema.parse({ ...response, results }) },
    }
  },
})

/** Reads a note or a chat; undefined if it cannot be read. */
async function readSearched(path: string, { workspace, readSession }: ToolContext) {
  const session = sessionOfPath(path)
  if (session !== undefined) {
    const text = await orUndefined(readSession(session))
    return text === undefined ? undefined : { path, text: transcriptText(text) }
  }
  const file = await orUndefined(workspace.read(path))
  return file && { path: await workspace.realPath(path), text: file.text, hash: file.hash }
}

/** @param sources of the whole note; those of a line are in its text */
function lineOf(result: SearchResult, sources: readonly Source[]): string {
  const origin = sources.length > 0 ? ` (from ${sources.map(sourceName).join('; ')})` : ''
  return formatResult(result) + validityOf(result) + origin
}

/** Returns an empty text if the entry itself says until when it was valid, and what replaced it. */
function validityOf({ snippet, superseded }: SearchResult): string {
  if (!superseded) return ''
  const { until, by } = superseded
  const isInText = snippet.includes(`(until ${until}`) && (by === undefined || snippet.includes(`[${by}]`))
  return isInText ? '' : ` (until ${until}${by === undefined ? '' : `; now ${by}`})`
}

function remarksOn({ conditions = [], notice, standstill }: SearchResponse): string[] {
  const unread = conditions.filter(({ isUnread }) => isUnread).map(({ text }) => text)
  const isWithoutMeaning =
    notice?.code === 'provider_failed' || notice?.code === 'provider_late' || notice?.code === 'query_private'
  return [
    ...(unread.length > 0 ? [`Not understood, searched as words: ${unread.join(', ')}`] : []),
    ...(isWithoutMeaning ? [`Only words were searched, not meaning: ${notice.message}.`] : []),
    ...(standstill === undefined ? [] : [`Recent changes are not searched: ${standstill}.`]),
  ]
}
