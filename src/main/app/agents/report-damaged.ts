import type { AgentOptions } from './agent-options.ts'

export function reportDamaged({ health, config }: AgentOptions, aside: string): void {
  health.report({
    part: 'app',
    code: 'file_damaged',
    level: 'note',
    message: `what was kept could not be read; it is in ${aside}`,
    agent: config.id,
    path: aside,
  })
}
