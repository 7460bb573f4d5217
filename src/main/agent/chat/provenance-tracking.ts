import { uniqueSources, sourcesIn, type Source } from '#shared/markdown/provenance.ts'
import type { ToolDetails } from '#shared/chat/message-schemas.ts'
import { messageText, splitAttachments, type Message, type ToolCallPart } from '#shared/chat/messages.ts'
import { parseLines } from '#shared/util/file-lines.ts'
import { noteOf, withoutAdditions, withoutTimestamp } from '#llm'
import { localDate } from '#workspace'
import { recalledIn } from '../context/message-text.ts'
import { builtInTools } from '../tools/built-in-tools.ts'

const builtInNames = new Set(builtInTools.map(({ name }) => name))
const maxSources = 20

/** Returns the distinct sources of messages and note texts, at most 20. Text of the user or the agent has none. */
export function sourcesOfMessages(messages: readonly Message[], texts: readonly string[]): Source[] {
  const sources: Source[] = []
  const add = (source: Source) => sources.push(source)
  for (const text of texts) sourcesIn(text).forEach(add)
  const calls = new Map<string, ToolCallPart>()
  for (const message of messages) {
    if (message.role === 'assistant') {
      for (const part of message.content) if (part.type === 'toolCall') calls.set(part.id, part)
    } else if (message.role === 'user') {
      for (const { name } of splitAttachments(message).files) add({ kind: 'file', name })
      for (const source of message.sources ?? []) add(source)
      message.recalled?.sources.forEach(add)
    } else {
      const wasCalled = message.details?.kind !== 'notCalled'
      if (wasCalled && !builtInNames.has(message.toolName))
        add(externalSource(message.toolName, calls.get(message.toolCallId)))
      sourcesIn(messageText(message)).forEach(add)
      message.sources?.forEach(add)
    }
    for (const { path } of recalledIn(message)) {
      const agent = /^@([^/]+)\//.exec(path)?.[1]
      if (agent !== undefined) add({ kind: 'agent', name: agent })
    }
  }
  return uniqueSources(sources).slice(0, maxSources)
}

function externalSource(tool: string, call: ToolCallPart | undefined): Source {
  const url = /https?:\/\/[^\s"'<>\\]+/i.exec(JSON.stringify(call?.arguments ?? {}))?.[0]
  const host = url === undefined ? undefined : URL.parse(url)?.hostname
  return host === undefined || host === '' ? { kind: 'mcp', name: tool } : { kind: 'web', name: host }
}

/**
 * Returns at most 20 sources of a built-in tool's result; none for other tools. Reads whole notes: an excerpt lacks
 * their front matter, and pruning may remove the marks of its lines.
 * @param sourcesOfNote returns the sources of a line of the note at a workspace-relative path; none if it cannot be read
 */
export async function sourcesOfResult(
  call: ToolCallPart,
  { text, details }: { readonly text: string; readonly details?: ToolDetails | undefined },
  sourcesOfNote: (path: string, line?: number) => Promise<readonly Source[]>,
): Promise<Source[]> {
  if (!builtInNames.has(call.name)) return []
  const { path, from } = call.arguments
  const recalled = details?.kind === 'recall' ? details.recall.results : []
  const read = typeof path === 'string' ? [{ path, startLine: undefined }, parseLines(path)] : []
  const places = [...recalled, ...read.filter((place) => place !== undefined)]
  const noteSources = await Promise.all(
    places.map((place) => sourcesOfNote(place.path, typeof from === 'number' ? from : place.startLine)),
  )
  return uniqueSources([...noteSources.flat(), ...sourcesIn(text)]).slice(0, maxSources)
}

/**
 * Returns the text that the user typed, without attachments and messages from other sources. Each text is followed by
 * its form as a note, with dates for its relative times.
 */
export function userTextIn(messages: readonly Message[]): string {
  return messages
    .flatMap((message) => {
      if (message.role !== 'user' || message.sources) return []
      const text = withoutTimestamp(withoutAdditions(splitAttachments(message).text))
      return [text, noteOf(text, localDate(new Date(message.timestamp)))]
    })
    .join('\n')
}
