import type { AgentOptions } from './agent-options.ts'

/** @param newPath new absolute path of the damaged file */
export function reportDamaged({ health, config }: AgentOptions, newPath: string): void {
  health.report({
    part: 'app',
    code: 'file_damaged',
    level: 'note',
    message: `a stored file could not be read; it was moved to ${newPath}`,
    agent: config.id,
    path: newPath,
  })
}
