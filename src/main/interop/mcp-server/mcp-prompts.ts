import type { McpServer } from '@modelcontextprotocol/server'
import { z } from 'zod'

export function addPrompts(server: McpServer): void {
  server.registerPrompt(
    'recall_first',
    {
      title: 'Recall first',
      description: 'Look into the memory before beginning with a task',
      argsSchema: z.object({ task: z.string().max(4000).describe('What you are about to do') }),
    },
    ({ task }) =>
      said(
        `I am about to begin with this:\n\n${task}\n\nBefore anything else, call memory_search two or three times: for the project or subject, for decisions about it, and for how I like such things done. Tell me in a few lines what of it matters here, each with its [path:line], and what you did not find. Then begin.`,
      ),
  )
  server.registerPrompt(
    'session_notes',
    { title: 'End-of-session notes', description: 'Keep what this session was worth' },
    () =>
      said(
        'We are about to stop. Go through this conversation and pick what will matter in a month: decisions with their reasons, preferences that I stated, results, and what is still open. Leave out what stands in the code or the files anyhow. Search the memory for each first, so that nothing is noted twice. Show me the list, and when I agree call remember once for each, in a sentence that is understood without this conversation.',
      ),
  )
  server.registerPrompt(
    'weekly_review',
    { title: 'Weekly review', description: 'What happened in a week, and what of it is still open' },
    () =>
      said(
        'Call memory_recent for the last 7 days, again with its before until no older changes are left out, and memory_get where a line is not enough. Then tell me: what was decided, what was done, what is still open, and what contradicts something older (search for it). Cite every line as [path:line]. End with at most three things that should be noted for long, and call remember for those that I agree with.',
      ),
  )
}

function said(text: string) {
  return { messages: [{ role: 'user' as const, content: { type: 'text' as const, text } }] }
}
