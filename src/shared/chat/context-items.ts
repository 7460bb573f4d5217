const toolPrefix = 'tool '

/** The item that a tool's schema is. */
export function toolItem(tool: string): string {
  return toolPrefix + tool
}

/** The tool whose schema an item of the system layer is; undefined for the others. */
export function toolOfItem(name: string): string | undefined {
  return name.startsWith(toolPrefix) ? name.slice(toolPrefix.length) : undefined
}

export interface Stretch {
  /** 1-based places in what is sent of the conversation, both included. */
  readonly from: number
  readonly to: number
}

export function stretchItem({ from, to }: Stretch): string {
  return `messages ${from}-${to}`
}

/** The messages that an item of the conversation layer is; undefined for the others. */
export function stretchOfItem(name: string): Stretch | undefined {
  const found = /^messages (\d+)-(\d+)$/.exec(name)
  return found ? { from: Number(found[1]), to: Number(found[2]) } : undefined
}
