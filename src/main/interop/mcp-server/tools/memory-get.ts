import { countText, readNamedLines } from '#shared/util/file-lines.ts'
import { maxPath } from '#shared/util/limits.ts'
import {
  dataNotice,
  defaultAnswerTokens,
  fittingText,
  linesStartingAt,
  toLabel,
  tokensForItems,
  wrapMemory,
} from '../bounded-answer.ts'
import { parametersOf, requiredText, type MemoryTool } from './memory-tool.ts'

const maxLines = 5000
/** A place within a long line, as the end of an answer names it. */
const characterAtEnd = /\+(\d{1,9})$/

const input = parametersOf({
  path: requiredText()
    .min(1)
    .max(maxPath)
    .describe('Path, path:line or path:first-last, such as memory/2026-01-20.md:45-52'),
})

export const memoryGetTool: MemoryTool<typeof input> = {
  name: 'memory_get',
  title: 'Read lines of memory',
  description: 'Reads a memory file, or lines of it, when a line of memory_search or memory_recent is not enough.',
  input,
  async run({ path: place }, { agent, client, ask }) {
    const fromCharacter = Number(characterAtEnd.exec(place)?.[1] ?? 1)
    const named = { path: place.replace(characterAtEnd, '') }
    const { path, from, count, note } = await readNamedLines(named, async ({ path, from = 1, lines: count }) => {
      const lines = { agent, path, from, count: Math.min(count ?? maxLines, maxLines), forProgram: client }
      return { path, from, count, note: await ask((primary) => primary.workspace.lines(lines)) }
    })
    const requested = linesStartingAt(path, note, from, fromCharacter)
    const { lines, cutAt } = fittingText(requested.lines, tokensForItems(defaultAnswerTokens, [path, dataNotice]))
    const last = from + lines.length - 1
    const lastRequested = count === undefined ? note.total : Math.min(from + count - 1, note.total)
    const rest = [
      ...(cutAt === undefined ? [] : [`${from}+${requested.character + cutAt}`]),
      ...(last < lastRequested ? [`${last + 1}-${lastRequested}`] : []),
    ].map((lines) => `${toLabel(path)}:${lines}`)
    return {
      lines: [
        `${toLabel(path)}:${from}-${last} of ${countText(note.total, 'line')}. ${dataNotice}`,
        wrapMemory(lines.join('\n'), note.sources),
        ...(rest.length > 0 ? [`More: memory_get ${rest.join(', then ')}`] : []),
      ],
    }
  },
}
