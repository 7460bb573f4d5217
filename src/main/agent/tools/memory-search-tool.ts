import { z } from 'zod'
import type { SearchResponse, SearchResult } from '#shared/contract/index.ts'
import { noteSources, sourceName, type Source } from '#shared/markdown/provenance.ts'
import { recordedSearchSchema, searchSettingsSchema } from '#shared/contract/search.ts'
import { formatResult } from '#shared/util/format-result.ts'
import { sessionOfPath, type SearchOverrides } from '#search'
import { defineTool, type ToolContext } from './tool.ts'

/** More results than this need more characters than a search has by default. */
const manyResults = 20
const charactersOfMany = 12_000

export const memorySearchTool = defineTool({
  name: 'memory_search',
  description:
    'Searches the notes by words and meaning. Mandatory before answering about prior work, decisions, dates, people, preferences or to-dos, unless <memory> answers. Returns one entry a line, best first: path:first-last · score · date · text. (until DATE; now path:line) marks an entry that another one replaced. Filters: after: before: on: in: (in:2024-05), path:projects/, tag:work, status:open, -word.',
  readOnly: true,
  parameters: z.object({
    query: z.string().min(1),
    maxResults: searchSettingsSchema.shape.maxResults.max(50).optional(),
    minScore: searchSettingsSchema.shape.minScore
      .optional()
      .describe('Minimum probability that an entry answers the query; usually not needed'),
  }),
  async run({ query, maxResults, minScore }, context) {
    const maxCharacters = maxResults !== undefined && maxResults > manyResults ? charactersOfMany : undefined
    const { response, lines } = await searchVisible(query, { maxResults, minScore, maxCharacters }, context)
    const texts = lines.map(({ line }) => line)
    return {
      text: [...(texts.length > 0 ? texts : ['No note answers this.']), ...remarksOn(response)].join('\n'),
      details: { kind: 'recall', recall: recordedSearchSchema.parse(response) },
    }
  },
})

export type SearchContext = Pick<ToolContext, 'visible' | 'session' | 'signal'>

/** A result with its line for the model, and the sources of its note. */
export interface VisibleLine {
  readonly result: SearchResult
  readonly line: string
  readonly sources: readonly Source[]
}

/** Searches without the chat itself. The lines are of results that the chat may see. @throws as `Memory.search` */
export async function searchVisible(query: string, options: SearchOverrides, context: SearchContext) {
  const { visible, session, signal } = context
  // The query of a private chat may contain private text.
  const overrides = { ...options, excludeSession: session, staysHere: visible.seesPrivate }
  const { response, files } = await visible.searchFiles(query, overrides, signal)
  const lines = response.results.map((result): VisibleLine => {
    const { path } = result
    // Those of the whole note: the text of a line has its own.
    const sources = sessionOfPath(path) === undefined ? noteSources(files.get(path)?.text ?? '') : []
    const origin = sources.length > 0 ? ` (from ${sources.map(sourceName).join('; ')})` : ''
    return { result, sources, line: formatResult(result) + validityOf(result) + origin }
  })
  return { response, lines }
}

/** Returns an empty text if the entry itself says until when it was valid, and what replaced it. */
function validityOf({ snippet, superseded }: SearchResult): string {
  if (!superseded) return ''
  const { until, by } = superseded
  const isInText = snippet.includes(`(until ${until}`) && (by === undefined || snippet.includes(`[${by}]`))
  return isInText ? '' : ` (until ${until}${by === undefined ? '' : `; now ${by}`})`
}

function remarksOn({ conditions = [], notice, standstill, provider, model }: SearchResponse): string[] {
  const unread = conditions.filter(({ isUnread }) => isUnread).map(({ text }) => text)
  const isWithoutMeaning =
    notice?.code === 'provider_failed' || notice?.code === 'provider_late' || notice?.code === 'query_private'
  const elsewhere = conditions.find(({ nearest }) => nearest !== undefined)
  return [
    ...(elsewhere ? [`No note is of ${elsewhere.text}; these are of ${elsewhere.nearest}, the nearest day.`] : []),
    ...(unread.length > 0 ? [`Not understood, searched as words: ${unread.join(', ')}`] : []),
    ...(isWithoutMeaning ? [`Only words were searched, not meaning: ${notice.message}.`] : []),
    ...(standstill === undefined ? [] : [`Recent changes are not searched: ${standstill}.`]),
    `Embeddings: ${provider} ${model}`.trim(),
  ]
}
