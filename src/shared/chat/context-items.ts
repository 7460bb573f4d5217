/** Layers of a request, in the order in which the model reads them. */
export const layers = ['system', 'project', 'logs', 'summary', 'recalled', 'conversation', 'tools', 'message'] as const

const toolPrefix = 'tool '

export function toolItem(tool: string): string {
  return toolPrefix + tool
}

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

export function messageRangeOfItem(name: string): MessageRange | undefined {
  const match = /^messages (\d+)-(\d+)$/.exec(name)
  return match ? { from: Number(match[1]), to: Number(match[2]) } : undefined
}
