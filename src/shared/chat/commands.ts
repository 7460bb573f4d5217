/** The commands that a message can be. What they do and say is elsewhere; here is what can be typed. */
export const commands = [
  { name: 'new', argument: null },
  { name: 'reset', argument: null },
  { name: 'compact', argument: 'focus' },
  { name: 'remember', argument: 'text' },
  { name: 'search', argument: 'query' },
  { name: 'context', argument: null },
  { name: 'status', argument: null },
  { name: 'model', argument: 'model' },
  { name: 'agent', argument: null },
  { name: 'help', argument: null },
] as const

export type CommandName = (typeof commands)[number]['name']

export interface CommandCall {
  readonly name: CommandName
  /** What follows the name; empty when nothing does. */
  readonly argument: string
}

/** `/compact the API` → `{name: 'compact', argument: 'the API'}`; undefined for anything that is no command. */
export function parseCommand(message: string): CommandCall | undefined {
  const match = /^\/([a-z]+)(?:\s+([\s\S]*))?$/.exec(message.trim())
  const command = commands.find(({ name }) => name === match?.[1])
  return command && { name: command.name, argument: (match?.[2] ?? '').trim() }
}
