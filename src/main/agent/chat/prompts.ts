import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { longTermFile } from '#workspace'
import type { ChatOptions } from './chat-options.ts'

type Values<Names extends string> = Readonly<Record<Names, string>>
type SystemName = 'agent' | 'workspace' | 'today' | 'weekday' | 'timeZone' | 'todaysLog'

export type Prompts = Awaited<ReturnType<typeof loadPrompts>>

/** Settings override the files. @throws the file system error if one cannot be read */
export async function loadPrompts(options: Pick<ChatOptions, 'config' | 'resources' | 'workspace'>) {
  const { prompts: overrides, compaction } = options.config.current
  const { systemPrompt, prompt } = compaction.memoryFlush
  const { layout } = options.workspace
  const own = layout.own === '' ? '' : `${layout.own}/`
  const longTerm = longTermFile(layout)
  const load = async <Names extends string>(name: string, override?: string) => {
    const template = override ?? (await readFile(join(options.resources, 'prompts', name), 'utf8'))
    // Inserted values are not expanded again; a placeholder without a value stays.
    return (values: Values<Names>) => {
      const all = new Map<string, string>(Object.entries({ own, longTerm, ...values }))
      return template.replace(/\{\{(\w+)\}\}/g, (mark, key: string) => all.get(key) ?? mark).trim()
    }
  }
  const smallSystem = await load<'todaysLog'>('flush-system.md', systemPrompt ?? '')
  const flushSmall = await load<'todaysLog'>('flush-small.md', prompt)
  return {
    system: await load<SystemName>('system.md', overrides.system),
    /** Used instead of `system` for small context windows. */
    systemSmall: await load<SystemName>('system-small.md', overrides.system),
    /** Used instead of `system` for models that cannot call tools. */
    systemWithoutTools: await load<SystemName>('system-without-tools.md', overrides.system),
    /** Used instead of `system` in a chat without memory. */
    withoutMemory: await load<SystemName>('without-memory.md'),
    flushSystem: await load<'todaysLog'>('flush-system.md', systemPrompt),
    flush: await load<'todaysLog'>('flush.md', prompt),
    /** Used instead of both for small context windows, with the texts of the settings. */
    flushSmall: (values: Values<'todaysLog'>) => `${smallSystem(values)}\n\n${flushSmall(values)}`.trim(),
    compaction: await load<'conversation' | 'earlier' | 'focus'>('compaction.md'),
    sessionSummary: await load<'conversation'>('session-summary.md'),
    title: await load<'conversation'>('title.md'),
    conflicts: await load<'lines' | 'pairs'>('conflicts.md'),
    promote: await load<'lines' | 'memory'>('promote.md'),
  }
}

/** Fills in the day where a prompt names today's log as OpenClaw does. @param today `YYYY-MM-DD` */
export function withToday(prompt: string, today: string, todaysLog: string): string {
  return prompt.replaceAll('memory/YYYY-MM-DD.md', () => todaysLog).replaceAll('YYYY-MM-DD', today)
}
