import { z } from 'zod'
import { AppError } from '#shared/util/errors.ts'
import { maxProgramNote, maxTitle } from '#shared/util/limits.ts'
import type { MemoryTool } from './memory-tool.ts'

const input = z.object({
  text: z
    .string()
    .max(maxProgramNote)
    .optional()
    .describe('The note in Markdown: one fact, decision or preference, understandable without this conversation'),
  section: z
    .string()
    .trim()
    .min(1)
    .max(maxTitle)
    .optional()
    .describe(
      "For lasting facts: the heading of MEMORY.md that the note belongs under. The note goes to today's log at once; the user decides about MEMORY.md, unless you may write there",
    ),
  undo: z.number().int().min(1).optional().describe('Instead of text: undo id of a note that you saved, to remove it'),
})

const output = z.object({
  path: z.string(),
  startLine: z.number().int().optional(),
  endLine: z.number().int().optional(),
  undo: z.number().int().optional().describe('Pass it to remember to remove the note'),
  done: z.enum(['remembered', 'taken back']),
  longTerm: z
    .enum(['written', 'waits for the user', 'refused before'])
    .optional()
    .describe(
      "Result for the section. 'waits for the user': the note is in today's log and a suggestion is in the user's inbox; do not write it again",
    ),
  proposal: z.string().optional().describe('Id of the suggestion in the inbox'),
  alike: z.string().optional().describe('Line that says the same or something earlier: path:line text'),
})

export const rememberTool: MemoryTool<typeof input, typeof output> = {
  name: 'remember',
  title: 'Remember',
  description:
    "Saves a note to the user's memory, where every assistant of the user can find it. Call it when the user asks to remember something, and after a decision, a stated preference, or a result worth keeping. One fact per call. Never save secrets such as passwords or keys.",
  input,
  output,
  isWriting: true,
  async run({ text, section, undo }, { agent, client, ask, signal }) {
    if (undo !== undefined) {
      if (text !== undefined) throw invalidInput('pass text or undo, not both')
      const { path } = await ask((primary) => primary.clients.undo({ agent, client, change: undo }))
      return { path, done: 'taken back' }
    }
    const note = text?.trim() ?? ''
    if (note === '') throw invalidInput('nothing to remember: text is empty')
    const request = { agent, client, text: note, ...(section === undefined ? {} : { section }) }
    const saved = await ask((primary, isRepeated) =>
      primary.clients.remember({ ...request, mayBeThere: isRepeated }, { signal }),
    )
    const { path, startLine, endLine, change, proposal: suggestion, alike } = saved
    const pending = suggestion === null ? 'refused before' : 'waits for the user'
    const longTerm = suggestion === undefined ? 'written' : pending
    return {
      path,
      startLine,
      endLine,
      ...(change === null ? {} : { undo: change }),
      done: 'remembered',
      ...(section === undefined ? {} : { longTerm }),
      ...(typeof suggestion === 'string' ? { proposal: suggestion } : {}),
      ...(alike && { alike: `${alike.path}:${alike.line} ${alike.text}` }),
    }
  },
}

function invalidInput(reason: string): AppError {
  return new AppError('input_invalid', reason, { reason })
}
