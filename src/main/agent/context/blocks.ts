import type { Layer } from '#shared/contract/index.ts'
import { isAgentFileName } from '#shared/util/agent-files.ts'
import { toolItem, toolNameOfItem } from '#shared/chat/context-items.ts'
import { toolNameOf, turnRowNames, splitSummary, type SentRequest } from './meter-rows.ts'
import { messageTextForModel } from './message-tokens.ts'

const filePattern = /<file path="([^"]*)"(?: missing="true"\/>|(?: from="[^"]*")?>\n[\s\S]*?\n<\/file>)/g

interface RequestBlock {
  readonly layer: Layer
  readonly name: string
  readonly text: string
}

function blocksOfRequest(request: SentRequest): RequestBlock[] {
  const [prompt = '', files = ''] = request.system
  const { summary, conversation } = splitSummary(request)
  const rowNames = turnRowNames(conversation)
  return [
    { layer: 'system', name: 'system prompt', text: prompt },
    ...request.tools.map((tool) => ({
      layer: 'system' as const,
      name: toolItem(toolNameOf(tool)),
      text: JSON.stringify(tool, null, 2),
    })),
    ...[...files.matchAll(filePattern)].map(([text, path = '']) => ({
      layer: isAgentFileName(path) ? ('project' as const) : ('logs' as const),
      name: path,
      text,
    })),
    ...(summary === undefined ? [] : [{ layer: 'summary' as const, name: 'summary', text: summary }]),
    ...conversation.map((message, index): RequestBlock => {
      const text = messageTextForModel(message)
      if (message.role === 'toolResult') return { layer: 'tools', name: message.toolName, text }
      const rowName = rowNames[index]
      return rowName === undefined
        ? { layer: 'message', name: 'message', text: `${message.role}: ${text}` }
        : { layer: 'conversation', name: rowName, text: `${message.role}: ${text}` }
    }),
  ]
}

/** Returns the text of a report item as it was sent, of all blocks for a group item; '' if there is no such item. */
export function textOfItem(request: SentRequest, layer: Layer, name: string): string {
  const isWholeConversation = layer === 'conversation' && name === 'conversation'
  const isAllTools = layer === 'system' && name === 'tools'
  return blocksOfRequest(request)
    .filter((block) => block.layer === layer)
    .filter(
      (block) => isWholeConversation || (isAllTools ? toolNameOfItem(block.name) !== undefined : block.name === name),
    )
    .map(({ text }) => text)
    .join('\n\n')
}
