/** The tool that reads lines of a file that a search has named. */
import { z } from 'zod'
import { maxPath } from '../../../shared/limits.ts'
import { boundedLines, dataNotice, fenced, roomFor } from '../answer.ts'
import { leftOutSchema, maxTokensParameter, type MemoryTool } from './tool.ts'

/** Lines that are asked of the owner; more have no room in any answer. */
const maxLines = 5000

const input = z.object({
  path: z.string().min(1).max(maxPath).describe('As memory_search named it, such as memory/2026-01-20.md'),
  from: z.number().int().min(1).default(1).describe('First line, 1-based'),
  lines: z.number().int().min(1).max(maxLines).default(maxLines).describe('How many lines'),
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

export const memoryGet: MemoryTool<typeof input, typeof output> = {
  name: 'memory_get',
  title: 'Read lines of memory',
  description:
    'Reads lines of a memory file by path, as memory_search or memory_recent named it. Use it when a passage is not enough.',
  input,
  output,
  isReadOnly: true,
  async run({ path, from, lines: count, maxTokens }, { agent, ask }) {
    const read = await ask((owner) => owner.workspace.lines({ agent, path, from, count }))
    const rest = { path, startLine: from, endLine: from, totalLines: read.total, notice: dataNotice }
    const lines = boundedLines(read.lines, roomFor(maxTokens, rest))
    const endLine = from + lines.length - 1
    const wanted = Math.min(from + count - 1, read.total)
    const leftOut = { what: `lines ${endLine + 1}–${wanted}`, howToGet: `memory_get with from: ${endLine + 1}` }
    return { ...rest, endLine, text: fenced(lines.join('\n')), ...(endLine < wanted ? { leftOut } : {}) }
  },
}
