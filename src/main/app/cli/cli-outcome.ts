/** What a command of the chat did, in words for a terminal. */
import { commands } from '#shared/chat/commands.ts'
import type { CommandOutcome } from '#shared/contract/index.ts'

export function describeOutcome(outcome: CommandOutcome): string {
  switch (outcome.kind) {
    case 'compacted':
      return `summarised: ${outcome.before} → ${outcome.after} tokens`
    case 'nothingToCompact':
      return 'there is nothing to summarise yet'
    case 'needsArgument':
      return `write what you mean behind it: /${outcome.command} …`
    case 'remembered':
      return `${outcome.change.path}:${outcome.change.startLine}`
    case 'found':
      return outcome.results
        .map(({ path, startLine, score, snippet }) =>
          [`${score.toFixed(2)}  ${path}:${startLine}`, ...(snippet === undefined ? [] : [`      ${snippet}`])].join(
            '\n',
          ),
        )
        .join('\n')
    case 'model':
      return outcome.model
    case 'agent':
      return `${outcome.agent}: ${outcome.workspace}`
    case 'status':
      return [
        `${outcome.tokens} of ${outcome.contextWindow} tokens; ${outcome.files} files, ${outcome.chunks} chunks; ${outcome.model}`,
        ...(outcome.flushAt === undefined ? [] : [`memory is written from ${outcome.flushAt} tokens on`]),
        ...(outcome.compactAt === undefined ? [] : [`the conversation is summarised from ${outcome.compactAt} on`]),
      ].join('; ')
    case 'help':
      return commands.map(({ name, argument }) => `/${name}${argument ? ` <${argument}>` : ''}`).join('\n')
    case 'failed':
      return outcome.message ?? 'that did not work'
  }
}
