import { z } from 'zod'
import { AppError } from '#shared/util/errors.ts'
import { parseLines } from '#shared/util/file-lines.ts'
import { maxPath, maxProgramNote } from '#shared/util/limits.ts'
import { toLabel, toLine } from '../bounded-answer.ts'
import { parametersOf, requiredText, type MemoryTool } from './memory-tool.ts'

const input = parametersOf({
  text: requiredText()
    .max(maxProgramNote)
    .describe('One fact, understandable without this conversation. A list: one entry each'),
  replaces: z.string().max(maxPath).optional().describe('path:line of an outdated line; the user decides'),
})

export const rememberTool: MemoryTool<typeof input> = {
  name: 'remember',
  title: 'Remember',
  description:
    "Saves a note in the user's memory, which all assistants read. Call it when the user asks, and after a decision, a preference or a result worth keeping. No passwords or keys.",
  input,
  isWriting: true,
  async run({ text, replaces }, { agent, client, ask, signal, isRepeated: wasSent }) {
    const note = text.trim()
    if (!/[\p{L}\p{N}\p{S}]/u.test(note)) throw invalidInput('nothing to remember: text is empty')
    const old = replaces === undefined ? undefined : parseLines(replaces)
    if (replaces !== undefined && (!old || old.endLine > old.startLine))
      throw invalidInput('replaces is the place of one line: path:line')
    const request = { agent, client, text: note, ...(old && { replaces: { path: old.path, line: old.startLine } }) }
    const { path, startLine, endLine, wasThere, proposal, alike } = await ask((primary, isRepeated) =>
      primary.clients.remember({ ...request, mayBeThere: isRepeated || wasSent }, { signal }),
    )
    const lines = endLine > startLine ? `${startLine}-${endLine}` : startLine
    const decided = proposal === null ? 'the user has refused this before' : 'the user decides'
    const answer = [
      `${wasThere ? 'already there' : 'saved'} ${toLabel(path)}:${lines}`,
      ...(proposal === undefined ? [] : [`replaces ${toLabel(replaces ?? '')}: ${decided}`]),
      ...(alike ? [`same subject: ${toLabel(alike.path)}:${alike.line} ${toLine(alike.text)}`, sameSubjectHint] : []),
    ]
    return { lines: answer }
  },
}

const sameSubjectHint = 'If the note makes that line outdated, call remember again with the same text and replaces.'

function invalidInput(reason: string): AppError {
  return new AppError('input_invalid', reason, { reason })
}
