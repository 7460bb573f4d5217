/** Slash commands and the name of their argument; null for a command without one. */
export const commands = [
  { name: 'new', argument: 'message' },
  { name: 'reset', argument: 'message' },
  { name: 'compact', argument: 'focus' },
  { name: 'remember', argument: 'text' },
  { name: 'search', argument: 'query' },
  { name: 'context', argument: null },
  { name: 'status', argument: null },
  { name: 'model', argument: 'model' },
  { name: 'agent', argument: null },
  { name: 'help', argument: null },
] as const

type CommandName = (typeof commands)[number]['name']

export interface CommandCall {
  readonly name: CommandName
  readonly argument: string
}

/** Chinese input methods type `、` or `／` for `/`. @returns undefined if the message is not a command */
export function parseCommand(message: string): CommandCall | undefined {
  const match = /^[/／、]([a-z]+)(?:\s+([\s\S]*))?$/.exec(message.trim())
  const command = commands.find(({ name }) => name === match?.[1])
  return command && { name: command.name, argument: (match?.[2] ?? '').trim() }
}

/** Returns the name after the slash if no command has it; undefined for other messages, such as `/etc/hosts`. */
export function unknownCommand(message: string): string | undefined {
  return parseCommand(message) ? undefined : /^[/／]([a-z][\w-]*)(?=\s|$)/i.exec(message.trim())?.[1]
}
