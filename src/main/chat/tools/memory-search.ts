/** The tool that searches the memory. */
import { z } from 'zod'
import { searchSettingsSchema } from '../../../shared/contract/search.ts'
import { defineTool } from './tool.ts'

export const memorySearch = defineTool({
  name: 'memory_search',
  description:
    'Mandatory before answering anything about prior work, decisions, dates, people, preferences or todos: searches MEMORY.md, the daily logs, the other notes of the workspace and past conversations by meaning and keywords. Returns the best passages with path, lines and score. Cite what you use as [path:line]. A result with `supersededSince`, and a line written as ~~…~~ (until DATE, now: [path:line]), held only until then: answer with what `now` names, and mention the old only as what was. The query may have filters: after: before: on: in: with a day, month or year (in:2024-05, after:2024-05-03), path:projects/, source:memory or source:sessions, tag:work, a property of notes such as status:open, and -word; words such as "last week" only raise what is dated so.',
  readOnly: true,
  parameters: z.object({
    query: z.string().min(1).describe('What to look for, in the words it was probably written in'),
    maxResults: searchSettingsSchema.shape.maxResults.max(50).optional(),
    minScore: searchSettingsSchema.shape.minScore
      .optional()
      .describe('Lower it to see weaker matches; the default is 0.35'),
  }),
  async run({ query, maxResults, minScore }, { memory, session, signal }) {
    const response = await memory.search(query, { excludeSession: session, maxResults, minScore }, signal)
    const results = response.results.map(({ path, startLine, endLine, score, snippet, source, superseded }) => ({
      path,
      startLine,
      endLine,
      score: Number(score.toFixed(3)),
      snippet,
      source,
      ...(superseded && {
        supersededSince: superseded.until,
        ...(superseded.by === undefined ? {} : { now: superseded.by }),
      }),
    }))
    const { provider, model, notice, conditions = [] } = response
    const shown = conditions.map(({ text, from, to, isUnread }) =>
      isUnread ? { text, unread: true } : { text, ...(from === null ? {} : { from }), ...(to === null ? {} : { to }) },
    )
    return {
      text: JSON.stringify({
        results,
        provider,
        model,
        ...(shown.length > 0 ? { conditions: shown } : {}),
        ...(notice ? { notice: notice.message } : {}),
      }),
      details: { kind: 'recall', recall: response },
    }
  },
})
