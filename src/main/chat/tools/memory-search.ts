/** The tool that searches the memory. */
import { z } from 'zod'
import { defineTool } from './tool.ts'

export const memorySearch = defineTool({
  name: 'memory_search',
  description:
    'Mandatory before answering anything about prior work, decisions, dates, people, preferences or todos: searches MEMORY.md and memory/**/*.md by meaning and keywords. Returns the best passages with path, lines and score. Cite what you use as [path:line].',
  readOnly: true,
  parameters: z.object({
    query: z.string().min(1).describe('What to look for, in the words it was probably written in'),
    maxResults: z.number().int().min(1).max(50).optional(),
    minScore: z.number().min(0).max(1).optional().describe('Lower it to see weaker matches; the default is 0.35'),
  }),
  async run({ query, maxResults, minScore }, { memory, session, signal }) {
    const options = {
      excludeSession: session,
      ...(maxResults === undefined ? {} : { maxResults }),
      ...(minScore === undefined ? {} : { minScore }),
    }
    const response = await memory.search(query, options, signal)
    const results = response.results.map(({ path, startLine, endLine, score, snippet, source }) => ({
      path,
      startLine,
      endLine,
      score: Number(score.toFixed(3)),
      snippet,
      source,
    }))
    const { provider, model, notice } = response
    return {
      text: JSON.stringify({ results, provider, model, ...(notice ? { notice: notice.message } : {}) }),
      details: { recall: response },
    }
  },
})
