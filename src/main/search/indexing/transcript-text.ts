/**
 * A transcript as text to search: one line for each line of the file, so that line numbers stay exact; what was said by
 * the user and the agent, and nothing of tools, bookkeeping, or what the user deleted; of the offline model only what it
 * quotes; nothing at all of a conversation that is held without memory. Pure.
 */
import { branchEntry, readBranchMark } from '#shared/chat/branch-mark.ts'
import { isRecord, parseJson } from '#shared/util/json.ts'
import { isWithoutMemory, memoryEntry } from '#shared/chat/memory-mark.ts'
import { fromMemoryIn } from '#shared/chat/offline-answer.ts'
import { localMark } from '#shared/markdown/visibility.ts'
import { localDate } from '#workspace'

export function transcriptText(jsonl: string): string {
  const lines = jsonl.split('\n')
  if (isApart(lines)) return lines.map(() => '').join('\n')
  const gone = deletedLines(lines)
  return lines.map((line, index) => (gone.has(index) ? '' : spoken(line))).join('\n')
}

/** The local day of each line's message, `YYYY-MM-DD`; undefined for a line that has none. */
export function transcriptDays(jsonl: string): (string | undefined)[] {
  return jsonl.split('\n').map((line) => {
    // The first time in a line is the entry's own; parsing a tool's result to see it would cost more than all the rest.
    const at = line.includes('"message"') ? /"timestamp":\s*(?:"([^"]{10,40})"|(\d{12,14}))/.exec(line) : null
    if (!at) return undefined
    const time = new Date(at[1] ?? Number(at[2]))
    return Number.isNaN(time.getTime()) ? undefined : localDate(time)
  })
}

function isApart(lines: readonly string[]): boolean {
  const mark = lines.findLast((line) => line.includes(`"${memoryEntry}"`) && parsed(line)['customType'] === memoryEntry)
  return mark !== undefined && isWithoutMemory(parsed(mark)['data'])
}

/** 0-based lines of messages that were deleted, and of everything below them. */
function deletedLines(lines: readonly string[]): Set<number> {
  const gone = new Set<number>()
  const roots = new Set<string>()
  for (const line of lines) {
    if (!line.includes(`"${branchEntry}"`)) continue
    const { deleted, restored } = readBranchMark(parsed(line)['data'])
    if (deleted !== undefined) roots.add(deleted)
    if (restored !== undefined) roots.delete(restored)
  }
  if (roots.size === 0) return gone
  for (const [index, line] of lines.entries()) {
    const { id, parentId } = parsed(line)
    if (typeof id !== 'string' || !(roots.has(id) || (typeof parentId === 'string' && roots.has(parentId)))) continue
    roots.add(id)
    gone.add(index)
  }
  return gone
}

function spoken(line: string): string {
  // Cheaper than parsing what will be left out anyway: a tool's result can have megabytes.
  if (!line.includes('"message"') || line.includes('"role":"toolResult"')) return ''
  const { message } = parsed(line)
  if (!isRecord(message) || (message['role'] !== 'user' && message['role'] !== 'assistant')) return ''
  const { role, content, local, provider } = message
  const said = typeof content === 'string' ? content : textParts(content)
  const text = provider === 'offline' ? fromMemoryIn(said) : said
  const flat = text.replace(/\s+/g, ' ').trim()
  const mark = local === true ? ` ${localMark}` : ''
  return flat === '' ? '' : `- ${role === 'user' ? 'User' : 'Assistant'}: ${flat}${mark}`
}

/** The fields of a line; none for what is no JSON object. */
function parsed(line: string): Record<string, unknown> {
  const value = parseJson(line)
  return isRecord(value) ? value : {}
}

function textParts(content: unknown): string {
  if (!Array.isArray(content)) return ''
  return content
    .map((part: unknown) =>
      isRecord(part) && part['type'] === 'text' && typeof part['text'] === 'string' ? part['text'] : '',
    )
    .join(' ')
}
