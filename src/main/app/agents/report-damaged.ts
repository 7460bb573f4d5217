import type { AgentOptions } from './agent-options.ts'

/** @param aside new absolute path of the damaged file */
export function reportDamaged({ health, config }: AgentOptions, aside: string): void {
  health.report({
    part: 'app',
    code: 'file_damaged',
    level: 'note',
    message: `a stored file could not be read; it was moved to ${aside}`,
    agent: config.id,
    path: aside,
  })
}
