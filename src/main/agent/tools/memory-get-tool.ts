/** The tool that reads lines that a search has named. */
import { z } from 'zod'
import { transcriptText } from '#search'
import { defineTool, pathParameter } from './tool.ts'
import { sliceLines } from './read-file-tool.ts'
import { readShown } from './shown-text.ts'

export const memoryGet = defineTool({
  name: 'memory_get',
  description: 'Reads lines of a memory file that memory_search named. Lines are numbered from 1.',
  readOnly: true,
  parameters: z.object({
    path: pathParameter,
    from: z.number().int().min(1).optional().describe('First line, 1-based'),
    lines: z.number().int().min(1).max(2000).optional().describe('How many lines'),
  }),
  async run({ path, from = 1, lines = 2000 }, context) {
    const { readSession, eyes } = context
    const session = /^sessions\/([^/]+)\.jsonl$/.exec(path)?.[1]
    const text =
      session === undefined
        ? await readShown(path, context)
        : await eyes.shown(path, transcriptText(await readSession(session)))
    return { text: JSON.stringify({ path, text: sliceLines(text, from, lines).join('\n') }) }
  },
})
