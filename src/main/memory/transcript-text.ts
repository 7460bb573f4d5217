/**
 * A transcript as text to search (M14): one line for each line of the file, so that line numbers stay exact; what was
 * said by the user and the agent, and nothing of tools or bookkeeping. Pure.
 */
export function transcriptText(jsonl: string): string {
  return jsonl.split('\n').map(spoken).join('\n')
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
  try {
    const entry: unknown = JSON.parse(line)
    const isMessage = typeof entry === 'object' && entry !== null && 'message' in entry
    return isMessage && typeof entry.message === 'object' && entry.message !== null ? entry.message : undefined
  } catch (error) {
    // A line torn by a crash.
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

function textParts(content: unknown): string {
  if (!Array.isArray(content)) return ''
  return content
    .map((part: { type?: unknown; text?: unknown }) =>
      part?.type === 'text' && typeof part.text === 'string' ? part.text : '',
    )
    .join(' ')
}
