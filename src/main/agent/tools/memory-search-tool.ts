import { z } from 'zod'
import type { SearchResponse } from '#shared/contract/index.ts'
import { uniqueSources, noteSources, sourceName, sourcesIn, type Source } from '#shared/markdown/provenance.ts'
import { AppError } from '#shared/util/errors.ts'
import { searchSettingsSchema } from '#shared/contract/search.ts'
import { transcriptText } from '#search'
import { unseenOf } from '#workspace/privacy'
import { normalizePath } from '#workspace'
import { defineTool, type ToolContext } from './tool.ts'

export const memorySearch = defineTool({
  name: 'memory_search',
  description:
    'Mandatory before answering anything about prior work, decisions, dates, people, preferences or todos: searches MEMORY.md, the daily logs, the other notes of the workspace and past conversations by meaning and keywords. Returns the best passages with path, lines and score. Cite sources as [path:line]. A result with `supersededSince`, and a line written as ~~…~~ (until DATE, now: [path:line]), were valid only until that date: answer with the passage that `now` names, and mention the old one only as history. The query may have filters: after: before: on: in: with a day, month or year (in:2024-05, after:2024-05-03), path:projects/, source:memory or source:sessions, tag:work, a property of notes such as status:open, and -word; words such as "last week" only boost passages from that time.',
  readOnly: true,
  parameters: z.object({
    query: z.string().min(1).describe('What to search for, in the words that the notes probably use'),
    maxResults: searchSettingsSchema.shape.maxResults.max(50).optional(),
    minScore: searchSettingsSchema.shape.minScore
      .optional()
      .describe('Lower it to see weaker matches; the default is 0.35'),
  }),
  async run({ query, maxResults, minScore }, context) {
    const { memory, session, signal } = context
    const unseen = unseenOf(await context.accessPolicy.visibilityByPath())
    // The query may contain text of local notes.
    const options = { excludeSession: session, maxResults, minScore, staysHere: context.derivesFromLocal, unseen }
    const { response, hasHiddenNotes } = await redactResults(await memory.search(query, options, signal), context)
    const sourcesByPath = new Map<string, readonly Source[]>()
    for (const { path } of response.results) sourcesByPath.set(path, await noteSourcesAt(path, context))
    const results = response.results.map(({ path, startLine, endLine, score, snippet, source, superseded }) => ({
      path,
      startLine,
      endLine,
      score: Number(score.toFixed(3)),
      snippet,
      source,
      ...sourceField([...(sourcesByPath.get(path) ?? []), ...sourcesIn(snippet)]),
      ...(superseded && {
        supersededSince: superseded.until,
        ...(superseded.by === undefined ? {} : { now: superseded.by }),
      }),
    }))
    const { provider, model, notice, standstill, conditions = [] } = response
    const describedConditions = conditions.map(({ text, from, to, isUnread }) =>
      isUnread ? { text, unread: true } : { text, ...(from === null ? {} : { from }), ...(to === null ? {} : { to }) },
    )
    return {
      text: JSON.stringify({
        results,
        provider,
        model,
        ...(describedConditions.length > 0 ? { conditions: describedConditions } : {}),
        ...(notice ? { notice: notice.message } : {}),
        ...(standstill === undefined
          ? {}
          : { unsearched: `recent changes: the index cannot be written (${standstill})` }),
        // Constant text: a count of withheld notes would reveal which words they contain.
        ...(hasHiddenNotes
          ? { heldBack: 'some notes may be local to this machine: notes marked local are not shown' }
          : {}),
      }),
      details: { kind: 'recall', recall: response },
    }
  },
})

function sourceField(sources: readonly Source[]): { readonly from?: string } {
  return sources.length === 0 ? {} : { from: uniqueSources(sources).map(sourceName).join('; ') }
}

async function noteSourcesAt(path: string, { workspace }: ToolContext): Promise<readonly Source[]> {
  try {
    return noteSources((await workspace.read(path)).text)
  } catch (error) {
    if (error instanceof AppError) return []
    throw error
  }
}

async function redactResults(original: SearchResponse, { accessPolicy, workspace, readSession }: ToolContext) {
  if (accessPolicy.isLocal) return { response: original, hasHiddenNotes: false }
  const visibleResults: SearchResponse['results'] = []
  for (const result of original.results) {
    const { path } = result
    const session = /^sessions\/([^/]+)\.jsonl$/.exec(path)?.[1]
    try {
      const text =
        session === undefined
          ? (await workspace.read(normalizePath(path))).text
          : transcriptText(await readSession(session))
      const notePath = session === undefined ? await workspace.realPath(path) : path
      const part = await accessPolicy.visiblePart(notePath, text, result)
      if (!part) continue
      const [snippet, heading] = [await accessPolicy.redact(part.snippet), await accessPolicy.redact(part.heading)]
      visibleResults.push({ ...part, snippet, heading })
    } catch (error) {
      // Without the current text its visibility is unknown, so leave the result out.
      if (!(error instanceof AppError)) throw error
    }
  }
  const { notice } = original
  const isLocalNotice = notice?.code === 'query_local' || notice?.code === 'vectors_local'
  const response = {
    ...original,
    results: visibleResults,
    candidates: visibleResults.length,
    notice: isLocalNotice ? null : notice,
  }
  return { response, hasHiddenNotes: await accessPolicy.hasHiddenNotes() }
}
