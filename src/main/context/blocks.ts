/** A request taken apart again into the items of its report, to be read and compared. Pure. */
import { diffArrays } from 'diff'
import type { BlockChange, Layer, RequestBlock } from '../../shared/contract/index.ts'
import type { Message } from '../../shared/messages.ts'
import { messageTextForModel } from './tokens.ts'

/** What of a kept request is read; the rest of it is about the answer. */
export interface SentRequest {
  readonly system: readonly string[]
  readonly messages: readonly Message[]
  readonly tools: readonly unknown[]
}

const file = /<file path="([^"]*)"(?: missing="true"\/>|>\n[\s\S]*?\n<\/file>)/g
const summary = /<summary>\n([\s\S]*)\n<\/summary>$/

export function requestBlocks({ system, messages, tools }: SentRequest): RequestBlock[] {
  const [prompt = '', files = ''] = system
  const summaryText = messages[0] && messages[0].role === 'user' ? summary.exec(messageTextForModel(messages[0])) : null
  const spoken = summaryText === null ? messages : messages.slice(1)
  const lastUser = spoken.findLastIndex(({ role }) => role === 'user')
  return [
    { layer: 'system', name: 'system prompt', text: prompt },
    { layer: 'system', name: 'tools', text: JSON.stringify(tools, null, 2) },
    ...[...files.matchAll(file)].map(([text, path = '']) => ({ layer: layerOfFile(path), name: path, text })),
    ...(summaryText === null ? [] : [{ layer: 'summary' as const, name: 'summary', text: summaryText[1] ?? '' }]),
    ...spoken.map((message, index): RequestBlock => {
      const text = messageTextForModel(message)
      if (message.role === 'toolResult') return { layer: 'tools', name: message.toolName, text }
      const layer = index === lastUser ? 'message' : 'conversation'
      return { layer, name: layer, text: `${message.role}: ${text}` }
    }),
  ]
}

/** Logs are the only files of the memory folder that are read into a request (M3, M8). */
function layerOfFile(path: string): Layer {
  return path.startsWith('memory/') ? 'logs' : 'project'
}

/** Everything of one item, as it was sent. */
export function textOfItem(request: SentRequest, layer: Layer, name: string): string {
  return requestBlocks(request)
    .filter((block) => block.layer === layer && block.name === name)
    .map(({ text }) => text)
    .join('\n\n')
}

export function requestDifference(from: SentRequest, to: SentRequest): BlockChange[] {
  // The message of one turn is an earlier one in the next: the same words are the same block.
  const comparator = (one: RequestBlock, other: RequestBlock) => one.text === other.text
  return diffArrays(requestBlocks(from), requestBlocks(to), { comparator }).flatMap(
    ({ added, removed, value }): BlockChange[] =>
      added || removed
        ? value.map((block) => ({ kind: added ? 'added' : 'removed', ...block }))
        : [{ kind: 'same', count: value.length }],
  )
}
