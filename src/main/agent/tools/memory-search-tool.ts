import { z } from 'zod'
import type { SearchResponse, SearchResult } from '#shared/contract/index.ts'
import { noteSources, sourceName, type Source } from '#shared/markdown/provenance.ts'
import { orUndefined } from '#shared/util/errors.ts'
import { recordedSearchSchema, searchSettingsSchema } from '#shared/contract/search.ts'
import { formatResult } from '#shared/util/format-result.ts'
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
    const { isLocal } = accessPolicy
    const response = await memory.search(
      query,
      {
        excludeSession: session,
        maxResults,
        minScore,
        // The query may contain text of local notes.
        staysHere: context.derivesFromLocal,
        hasPrivate: isLocal,
        hasChats: isLocal,
      },
      signal,
    )
    const texts = await readNotes(response.results, context)
    const results = isLocal ? response.results : await visibleResults(response.results, texts, context)
    const lines = results.map((result) => lineOf(result, noteSources(texts.get(result.path) ?? '')))
    const remarks = remarksOn(response, isLocal)
    // Constant text: a count of hidden notes would reveal which words they contain.
    if (await accessPolicy.hasHiddenNotes()) remarks.push('Notes marked local are not shown.')
    return {
      text: [...(lines.length > 0 ? lines : ['No note answers this.']), ...remarks].join('\n'),
      // Removes the fields that are not recorded.
      details: { kind: 'recall', recall: recordedSearchSchema.parse({ ...response, results }) },
    }
  },
})

/** Returns the current texts by path, without chats and notes that cannot be read. */
async function readNotes(
  results: readonly SearchResult[],
  { workspace }: ToolContext,
): Promise<ReadonlyMap<string, string>> {
  const texts = new Map<string, string>()
  for (const path of new Set(results.map((result) => result.path))) {
    const file = await orUndefined(workspace.read(path))
    if (file) texts.set(path, file.text)
  }
  return texts
}

/** Drops results with local lines, because the index can be older than the notes, and redacts repeated local text. */
async function visibleResults(
  results: readonly SearchResult[],
  texts: ReadonlyMap<string, string>,
  { accessPolicy, workspace }: ToolContext,
): Promise<SearchResult[]> {
  const visible: SearchResult[] = []
  for (const result of results) {
    const text = texts.get(result.path)
    if (text === undefined || (await accessPolicy.hasLocalLines(await workspace.realPath(result.path), text, result)))
      continue
    visible.push({ ...result, snippet: await accessPolicy.redact(result.snippet) })
  }
  return visible
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

function remarksOn({ conditions = [], notice, standstill }: SearchResponse, isLocal: boolean): string[] {
  const unread = conditions.filter(({ isUnread }) => isUnread).map(({ text }) => text)
  const isWithoutMeaning =
    notice?.code === 'provider_failed' ||
    notice?.code === 'provider_late' ||
    // A remote model must not learn that the query contains local text.
    (isLocal && notice?.code === 'query_local')
  return [
    ...(unread.length > 0 ? [`Not understood, searched as words: ${unread.join(', ')}`] : []),
    ...(isWithoutMeaning ? [`Only words were searched, not meaning: ${notice.message}.`] : []),
    ...(standstill === undefined ? [] : [`Recent changes are not searched: ${standstill}.`]),
  ]
}
