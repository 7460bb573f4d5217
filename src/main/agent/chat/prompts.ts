import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { AgentSettings } from '#platform'

type Values<Names extends string = string> = Readonly<Record<Names, string>>
type SystemValues = Values<'agent' | 'workspace' | 'today' | 'weekday' | 'timeZone' | 'todaysLog'>

export interface Prompts {
  readonly system: (values: SystemValues) => string
  /** Used instead of `system` in a conversation without memory. */
  readonly withoutMemory: (values: SystemValues) => string
  readonly flushSystem: string
  readonly flush: (values: Values<'todaysLog'>) => string
  readonly compaction: (values: Values<'conversation' | 'earlier' | 'focus'>) => string
  readonly sessionSummary: (values: Values<'conversation'>) => string
  readonly title: (values: Values<'conversation'>) => string
  readonly conflicts: (values: Values<'lines' | 'pairs'>) => string
  readonly promote: (values: Values<'lines' | 'memory'>) => string
}

/**
 * Loads the prompts from `<resources>/prompts`; settings override them.
 * @param resources absolute path
 * @param ownFolder workspace-relative folder of the agent's files, fills `{{own}}`; empty for the workspace root
 * @throws the file system error if a prompt file cannot be read
 */
export async function loadPrompts(
  resources: string,
  { prompts: overrides, compaction }: Pick<AgentSettings, 'prompts' | 'compaction'>,
  ownFolder: string,
): Promise<Prompts> {
  const read = async (name: string) => (await readFile(join(resources, 'prompts', name), 'utf8')).trim()
  const [system, withoutMemory, flushSystem, flush, compact, sessionSummary, title, conflicts, promote] =
    await Promise.all([
      overrides.system ?? read('system.md'),
      read('without-memory.md'),
      read('flush-system.md'),
      compaction.memoryFlush.prompt ?? read('flush.md'),
      read('compaction.md'),
      read('session-summary.md'),
      read('title.md'),
      read('conflicts.md'),
      read('promote.md'),
    ])
  const folderValues = { own: ownFolder === '' ? '' : `${ownFolder}/` }
  return {
    system: (values) => fill(system, { ...folderValues, ...values }).trim(),
    withoutMemory: (values) => fill(withoutMemory, { ...folderValues, ...values }).trim(),
    flushSystem: fill(flushSystem, folderValues),
    flush: (values) => fill(flush, { ...folderValues, ...values }),
    compaction: (values) => fill(compact, values),
    sessionSummary: (values) => fill(sessionSummary, values),
    title: (values) => fill(title, values),
    conflicts: (values) => fill(conflicts, values),
    promote: (values) => fill(promote, values),
  }
}

/** Inserted values are not expanded again; a placeholder without a value stays. */
function fill(template: string, values: Values): string {
  return template.replace(/\{\{(\w+)\}\}/g, (placeholder, name: string) => values[name] ?? placeholder)
}
