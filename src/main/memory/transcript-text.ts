/**
 * A transcript as text to search (M14): one line for each line of the file, so that line numbers stay exact; what was
 * said by the user and the agent, and nothing of tools, bookkeeping, or what the user deleted. Pure.
 */
import { parseJson } from '../../shared/json.ts'

export function transcriptText(jsonl: string): string {
  const lines = jsonl.split('\n')
  const gone = deletedLines(lines)
  return lines.map((line, index) => (gone.has(index) ? '' : spoken(line))).join('\n')
}

/** 0-based lines of messages that were deleted, and of everything below them. */
function deletedLines(lines: readonly string[]): Set<number> {
  const gone = new Set<number>()
  const roots = new Set<string>()
  for (const line of lines) {
    if (!line.includes('"commonplace.branch"')) continue
    const mark = (parsed(line) as { data?: { deleted?: string; restored?: string } } | undefined)?.data
    if (mark?.deleted !== undefined) roots.add(mark.deleted)
    if (mark?.restored !== undefined) roots.delete(mark.restored)
  }
  if (roots.size === 0) return gone
  for (const [index, line] of lines.entries()) {
    const entry = parsed(line) as { id?: string; parentId?: string | null } | undefined
    if (entry?.id === undefined || !(roots.has(entry.id) || roots.has(entry.parentId ?? ''))) continue
    roots.add(entry.id)
    gone.add(index)
  }
  return gone
}

function spoken(line: string): string {
  // Cheaper than parsing what will be left out anyway: a tool's result can have megabytes.
  if (!line.includes('"message"') || line.includes('"role":"toolResult"')) return ''
  const message = messageOf(line)
  if (message?.role !== 'user' && message?.role !== 'assistant') return ''
  const text = typeof message.content === 'string' ? message.content : textParts(message.content)
  const flat = text.replace(/\s+/g, ' ').trim()
  return flat === '' ? '' : `- ${message.role === 'user' ? 'User' : 'Assistant'}: ${flat}`
}

function messageOf(line: string): { role?: unknown; content?: unknown } | undefined {
  const entry = parsed(line)
  const isMessage = entry !== undefined && 'message' in entry
  return isMessage && typeof entry.message === 'object' && entry.message !== null ? entry.message : undefined
}

function parsed(line: string): object | undefined {
  const value = parseJson(line)
  return typeof value === 'object' && value !== null ? value : undefined
}

function textParts(content: unknown): string {
  if (!Array.isArray(content)) return ''
  return content
    .map((part: { type?: unknown; text?: unknown }) =>
      part?.type === 'text' && typeof part.text === 'string' ? part.text : '',
    )
    .join(' ')
}
