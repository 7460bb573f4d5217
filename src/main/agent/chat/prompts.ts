import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { longTermFile } from '#workspace'
import type { ChatOptions } from './chat-options.ts'

type Values<Names extends string = string> = Readonly<Record<Names, string>>
type SystemValues = Values<'agent' | 'workspace' | 'today' | 'weekday' | 'timeZone' | 'todaysLog'>

export interface Prompts {
  readonly system: (values: SystemValues) => string
  /** Used instead of `system` for small context windows. */
  readonly systemSmall: (values: SystemValues) => string
  /** Used instead of `system` for models that cannot call tools. */
  readonly systemWithoutTools: (values: SystemValues) => string
  /** Used instead of `system` in a conversation without memory. */
  readonly withoutMemory: (values: SystemValues) => string
  readonly flushSystem: (values: Values<'todaysLog'>) => string
  readonly flush: (values: Values<'todaysLog'>) => string
  /** Used instead of both for small context windows, with the texts of the settings. */
  readonly flushSmall: (values: Values<'todaysLog'>) => string
  readonly compaction: (values: Values<'conversation' | 'earlier' | 'focus'>) => string
  readonly sessionSummary: (values: Values<'conversation'>) => string
  readonly title: (values: Values<'conversation'>) => string
  readonly conflicts: (values: Values<'lines' | 'pairs'>) => string
  readonly promote: (values: Values<'lines' | 'memory'>) => string
}

/**
 * Loads the prompts from `<resources>/prompts`; settings override them.
 * @throws the file system error if a prompt file cannot be read
 */
export async function loadPrompts(options: Pick<ChatOptions, 'config' | 'resources' | 'workspace'>): Promise<Prompts> {
  const { prompts: overrides, compaction } = options.config.current
  const { systemPrompt, prompt } = compaction.memoryFlush
  const { layout } = options.workspace
  const own = layout.own === '' ? '' : `${layout.own}/`
  const longTerm = longTermFile(layout)
  const load = async (name: string, override?: string) => {
    const template = override ?? (await readFile(join(options.resources, 'prompts', name), 'utf8'))
    // Inserted values are not expanded again; a placeholder without a value stays.
    return (values: Values = {}) =>
      template.replace(/\{\{(\w+)\}\}/g, (mark, key: string) => ({ own, longTerm, ...values })[key] ?? mark).trim()
  }
  const smallSystem = await load('flush-system.md', systemPrompt ?? '')
  const flushSmall = await load('flush-small.md', prompt)
  return {
    system: await load('system.md', overrides.system),
    systemSmall: await load('system-small.md', overrides.system),
    systemWithoutTools: await load('system-without-tools.md', overrides.system),
    withoutMemory: await load('without-memory.md'),
    flushSystem: await load('flush-system.md', systemPrompt),
    flush: await load('flush.md', prompt),
    flushSmall: (values) => `${smallSystem(values)}\n\n${flushSmall(values)}`.trim(),
    compaction: await load('compaction.md'),
    sessionSummary: await load('session-summary.md'),
    title: await load('title.md'),
    conflicts: await load('conflicts.md'),
    promote: await load('promote.md'),
  }
}

/** Fills in the day where a prompt names today's log as OpenClaw does. @param today `YYYY-MM-DD` */
export function withToday(prompt: string, today: string, todaysLog: string): string {
  return prompt.replaceAll('memory/YYYY-MM-DD.md', () => todaysLog).replaceAll('YYYY-MM-DD', today)
}
