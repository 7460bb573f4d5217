import { z } from 'zod'
import { AppError } from '#shared/util/errors.ts'
import { maxId, maxNote, maxTitle } from '#shared/util/limits.ts'
import type { MemoryTool } from './memory-tool.ts'

const input = z.object({
  text: z
    .string()
    .max(maxNote)
    .optional()
    .describe('The note in Markdown: one fact, decision or preference, understandable without this conversation'),
  section: z
    .string()
    .trim()
    .min(1)
    .max(maxTitle)
    .optional()
    .describe(
      "For what will be true for long: the heading of MEMORY.md that it belongs under. It stands in today's log at once; the user decides whether it goes there, unless you may write there",
    ),
  undo: z.string().max(maxId).optional().describe('Instead of text: takes back the note that returned this undo id'),
})

const output = z.object({
  path: z.string(),
  startLine: z.number().int().optional(),
  endLine: z.number().int().optional(),
  undo: z.string().optional().describe('Call remember with it to take the note back'),
  done: z.enum(['remembered', 'taken back']),
  longTerm: z
    .enum(['written', 'waits for the user', 'refused before'])
    .optional()
    .describe(
      "What became of the section. 'waits for the user': the note stands in today's log, and a proposal in the user's inbox; do not write it again",
    ),
  proposal: z.string().optional().describe('What waits in the inbox'),
})

export const remember: MemoryTool<typeof input, typeof output> = {
  name: 'remember',
  title: 'Remember',
  description:
    "Appends a note to the user's memory, where every assistant of the user finds it. Call it when the user asks to remember something, and after a decision, a stated preference, or a result worth keeping. One fact a call. Never for secrets such as passwords or keys.",
  input,
  output,
  isReadOnly: false,
  async run({ text, section, undo }, { agent, client, ask, signal }) {
    if (undo !== undefined) {
      if (text !== undefined) throw invalid('give text or undo, not both')
      const { path } = await ask((owner) => owner.clients.undo({ agent, client, undo }))
      return { path, done: 'taken back' }
    }
    const note = text?.trim() ?? ''
    if (note === '') throw invalid('there is nothing to remember: text is empty')
    const wanted = { agent, client, text: note, ...(section === undefined ? {} : { section }) }
    const written = await ask((owner, isRepeated) =>
      owner.clients.remember({ ...wanted, mayBeThere: isRepeated }, { signal }),
    )
    const { path, startLine, endLine, undo: way, proposal } = written
    return {
      path,
      startLine,
      endLine,
      ...(way === '' ? {} : { undo: way }),
      done: 'remembered',
      ...(section === undefined ? {} : { longTerm: becameOf(proposal) }),
      ...(typeof proposal === 'string' ? { proposal } : {}),
    }
  },
}

function becameOf(proposal: string | null | undefined) {
  if (proposal === undefined) return 'written'
  return proposal === null ? 'refused before' : 'waits for the user'
}

function invalid(reason: string): AppError {
  return new AppError('input_invalid', reason, { reason })
}
