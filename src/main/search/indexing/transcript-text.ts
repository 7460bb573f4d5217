/**
 * Converts transcripts to searchable text, one output line per input line, so that line numbers stay valid. Includes
 * messages of the user and the agent; omits tool results, other entries, and deleted messages. From the offline
 * model's answers, only quotations from memory remain. A chat without memory results in empty lines.
 */
import { branchEntry, readBranchMark } from '#shared/chat/branch-mark.ts'
import { isRecord, parseJson } from '#shared/util/json.ts'
import { isWithoutMemory, memoryToggleEntry } from '#shared/chat/memory-mark.ts'
import { quotedMemoryLines } from '#shared/chat/offline-answer.ts'
import { localMark } from '#shared/markdown/visibility.ts'
import { localDate } from '#workspace'

export function transcriptText(jsonl: string): string {
  const lines = jsonl.split('\n')
  if (isMemoryOff(lines)) return lines.map(() => '').join('\n')
  const deletedIndexes = deletedLines(lines)
  return lines.map((line, index) => (deletedIndexes.has(index) ? '' : messageText(line))).join('\n')
}

/** Returns the local day of each line's message, `YYYY-MM-DD`, or undefined if a line has none. */
export function transcriptDays(jsonl: string): (string | undefined)[] {
  return jsonl.split('\n').map((line) => {
    // The first timestamp in a line is the entry's own. A regular expression avoids parsing large tool results.
    const at = line.includes('"message"') ? /"timestamp":\s*(?:"([^"]{10,40})"|(\d{12,14}))/.exec(line) : null
    if (!at) return undefined
    const time = new Date(at[1] ?? Number(at[2]))
    return Number.isNaN(time.getTime()) ? undefined : localDate(time)
  })
}

function isMemoryOff(lines: readonly string[]): boolean {
  const mark = lines.findLast(
    (line) => line.includes(`"${memoryToggleEntry}"`) && parseRecord(line)['customType'] === memoryToggleEntry,
  )
  return mark !== undefined && isWithoutMemory(parseRecord(mark)['data'])
}

/** Returns 0-based lines of deleted messages and of their descendants. */
function deletedLines(lines: readonly string[]): Set<number> {
  const deletedIndexes = new Set<number>()
  const roots = new Set<string>()
  for (const line of lines) {
    if (!line.includes(`"${branchEntry}"`)) continue
    const { deleted, restored } = readBranchMark(parseRecord(line)['data'])
    if (deleted !== undefined) roots.add(deleted)
    if (restored !== undefined) roots.delete(restored)
  }
  if (roots.size === 0) return deletedIndexes
  for (const [index, line] of lines.entries()) {
    const { id, parentId } = parseRecord(line)
    if (typeof id !== 'string' || !(roots.has(id) || (typeof parentId === 'string' && roots.has(parentId)))) continue
    roots.add(id)
    deletedIndexes.add(index)
  }
  return deletedIndexes
}

function messageText(line: string): string {
  // Avoids parsing tool results: they can have megabytes.
  if (!line.includes('"message"') || line.includes('"role":"toolResult"')) return ''
  const { message } = parseRecord(line)
  if (!isRecord(message) || (message['role'] !== 'user' && message['role'] !== 'assistant')) return ''
  const { role, content, local, provider } = message
  const rawText = typeof content === 'string' ? content : textParts(content)
  const text = provider === 'offline' ? quotedMemoryLines(rawText) : rawText
  const flat = text.replace(/\s+/g, ' ').trim()
  const mark = local === true ? ` ${localMark}` : ''
  return flat === '' ? '' : `- ${role === 'user' ? 'User' : 'Assistant'}: ${flat}${mark}`
}

function parseRecord(line: string): Record<string, unknown> {
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
