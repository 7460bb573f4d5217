/** What makes a window fill up needlessly, and where to do something about it. Pure. */
import type { ContextReport, LearnedWindow } from '#shared/contract/index.ts'
import { longTermName } from '#shared/util/own-files.ts'
import { toolOfItem } from '#shared/chat/context-items.ts'

/** Of the window: tool definitions above this are worth a look, and all that stands in every request. */
const maxToolsShare = 0.1
const maxFixedShare = 0.4
/** MEMORY.md is read into every request: above this it costs more than it says, in tokens. */
const maxMemoryTokens = 3000

export type ContextWarning =
  | { readonly code: 'cut'; readonly path: string; readonly raw: number; readonly sent: number }
  | { readonly code: 'tools'; readonly share: number }
  | { readonly code: 'memory'; readonly path: string; readonly tokens: number }
  | { readonly code: 'fixed'; readonly share: number }
  | ({ readonly code: 'window'; readonly model: string } & LearnedWindow)
  | { readonly code: 'compact' | 'flush' }

export function contextWarnings(report: ContextReport): ContextWarning[] {
  const { items, contextWindow, next = [], learned } = report
  const share = (tokens: number) => tokens / contextWindow
  const warnings: ContextWarning[] = []
  if (next.includes('compact')) warnings.push({ code: 'compact' })
  else if (next.includes('flush')) warnings.push({ code: 'flush' })
  if (learned) warnings.push({ code: 'window', model: report.model, ...learned })
  for (const { name, note, rawCharacters, sentCharacters } of items)
    if (note === 'cut') warnings.push({ code: 'cut', path: name, raw: rawCharacters, sent: sentCharacters })
  const tools = items
    .filter(({ layer, name }) => layer === 'system' && (name === 'tools' || toolOfItem(name) !== undefined))
    .reduce((sum, { tokens }) => sum + tokens, 0)
  if (share(tools) > maxToolsShare) warnings.push({ code: 'tools', share: share(tools) })
  const memory = items.find(({ layer, name }) => layer === 'project' && name.endsWith(longTermName))
  if (memory && memory.tokens > maxMemoryTokens)
    warnings.push({ code: 'memory', path: memory.name, tokens: memory.tokens })
  const fixed = items.reduce(
    (sum, { layer, tokens }) => (layer === 'system' || layer === 'project' || layer === 'logs' ? sum + tokens : sum),
    0,
  )
  if (share(fixed) > maxFixedShare) warnings.push({ code: 'fixed', share: share(fixed) })
  return warnings
}
