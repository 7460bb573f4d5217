/** Layers of a request, in the order in which the model reads them. */
export const layers = ['system', 'project', 'logs', 'summary', 'recalled', 'conversation', 'tools', 'message'] as const

const toolPrefix = 'tool '

/** Returns the name of the context item for a tool's schema. */
export function toolItem(tool: string): string {
  return toolPrefix + tool
}

/** Returns the tool name of a context item; undefined if the item is not a tool schema. */
export function toolNameOfItem(name: string): string | undefined {
  return name.startsWith(toolPrefix) ? name.slice(toolPrefix.length) : undefined
}

interface MessageRange {
  /** 1-based, inclusive positions among the sent messages. */
  readonly from: number
  readonly to: number
}

export function messageRangeItem({ from, to }: MessageRange): string {
  return `messages ${from}-${to}`
}

/** Parses the name of a conversation item; undefined for other items. */
export function messageRangeOfItem(name: string): MessageRange | undefined {
  const match = /^messages (\d+)-(\d+)$/.exec(name)
  return match ? { from: Number(match[1]), to: Number(match[2]) } : undefined
}
