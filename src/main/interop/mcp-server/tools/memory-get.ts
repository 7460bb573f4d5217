import { z } from 'zod'
import { readNamedLines } from '#shared/util/file-lines.ts'
import { maxPath } from '#shared/util/limits.ts'
import { fittingText, linesStartingAt, dataNotice, wrapMemory, toLabel, tokensForItems } from '../bounded-answer.ts'
import { leftOutSchema, maxTokensParameter, type MemoryTool } from './memory-tool.ts'

const maxLines = 5000

const input = z.object({
  path: z
    .string()
    .min(1)
    .max(maxPath)
    .describe('Path from memory_search, such as memory/2026-01-20.md or memory/2026-01-20.md:45-52'),
  from: z.number().int().min(1).optional().describe('First line, 1-based'),
  fromCharacter: z.number().int().min(1).default(1).describe('First character of that line, 1-based'),
  lines: z.number().int().min(1).max(maxLines).optional().describe('Number of lines; all if omitted'),
  maxTokens: maxTokensParameter,
})

const output = z.object({
  path: z.string(),
  startLine: z.number().int(),
  endLine: z.number().int(),
  totalLines: z.number().int(),
  text: z.string(),
  notice: z.string(),
  leftOut: leftOutSchema,
})

export const memoryGetTool: MemoryTool<typeof input, typeof output> = {
  name: 'memory_get',
  title: 'Read lines of memory',
  description:
    'Reads lines of a memory file by path, as returned by memory_search or memory_recent. Use it when a result is not enough.',
  input,
  output,
  async run({ fromCharacter, maxTokens, ...named }, { agent, client, ask }) {
    const { path, from, count, note } = await readNamedLines(named, async ({ path, from = 1, lines: count }) => {
      const place = { agent, path, from, count: Math.min(count ?? maxLines, maxLines), forProgram: client }
      return { path, from, count, note: await ask((primary) => primary.workspace.lines(place)) }
    })
    const fields = { path: toLabel(path), startLine: from, endLine: from, totalLines: note.total, notice: dataNotice }
    const requested = linesStartingAt(path, note, from, fromCharacter)
    const { lines, cutAt } = fittingText(requested.lines, tokensForItems(maxTokens, fields))
    const endLine = from + lines.length - 1
    const lastRequested = count === undefined ? note.total : Math.min(from + count - 1, note.total)
    const leftOut =
      cutAt === undefined
        ? { what: `lines ${endLine + 1}–${lastRequested}`, howToGet: `memory_get with from: ${endLine + 1}` }
        : leftOutOfLine(from, requested.character + cutAt, requested.length, lastRequested)
    return {
      ...fields,
      endLine,
      text: wrapMemory(lines.join('\n')),
      ...(endLine < lastRequested || cutAt !== undefined ? { leftOut } : {}),
    }
  },
}

/** @param character first character that is not shown, 1-based */
function leftOutOfLine(line: number, character: number, length: number, lastLine: number) {
  const otherLines = lastLine > line ? `, and lines ${line + 1}–${lastLine}` : ''
  return {
    what: `characters ${character}–${length} of line ${line}${otherLines}`,
    howToGet: `memory_get with from: ${line}, fromCharacter: ${character}`,
  }
}
