import { TriangleAlert } from 'lucide-react'
import { t } from 'i18next'
import { Link } from 'wouter'
import type { ContextReport, ContextWindowEstimate } from '#shared/contract/index.ts'
import { formatNumber, formatPercent } from '#lib/i18n/format.ts'
import { paths } from '#lib/router/paths.ts'
import { isLongTermPath } from '#shared/util/agent-files.ts'
import { toolNameOfItem } from '#shared/chat/context-items.ts'

export function WarningList({ report }: { report: ContextReport }) {
  const warnings = contextWarnings(report)
  if (warnings.length === 0) return null
  return (
    <ul aria-label={t('context.warnings')} className="mt-5 flex flex-col gap-1">
      {warnings.map((warning) => {
        const [text, href, remedy] = describeWarning(warning)
        return (
          <li
            key={`${warning.code}/${'path' in warning ? warning.path : ''}`}
            data-testid="context-warning"
            className="flex items-baseline gap-2"
          >
            <TriangleAlert size={13} aria-hidden className="shrink-0 self-center text-warning" />
            <span>{text}</span>
            {href !== undefined && (
              <Link href={href} className="shrink-0 text-accent hover:underline">
                {remedy}
              </Link>
            )}
          </li>
        )
      })}
    </ul>
  )
}

/** Returns the text of a warning, with the address and the label of its remedy if it has one. */
function describeWarning(warning: ContextWarning): readonly [text: string, href?: string, remedy?: string] {
  switch (warning.code) {
    case 'cut': {
      const sizes = { raw: formatNumber(warning.raw), sent: formatNumber(warning.sent) }
      const text = t('context.warning.cut', { path: warning.path, ...sizes })
      return [text, paths.file(warning.path), t('context.remedy.shorten')]
    }
    case 'memory': {
      const text = t('context.warning.memory', { path: warning.path, tokens: formatNumber(warning.tokens) })
      return [text, paths.file(warning.path), t('context.remedy.move')]
    }
    case 'tools':
    case 'fixed': {
      const text = t(`context.warning.${warning.code}`, { share: formatPercent(warning.share) })
      return warning.code === 'tools'
        ? [text, paths.settings('tools'), t('context.remedy.tools')]
        : [text, paths.settings('models'), t('context.remedy.model')]
    }
    case 'window': {
      const { model, window, believed, isGuess } = warning
      const sizes = { window: formatNumber(window), believed: formatNumber(believed) }
      const text = t(isGuess ? 'context.warning.windowGuess' : 'context.warning.windowNamed', { model, ...sizes })
      return [text, paths.settings('models'), t('context.remedy.window')]
    }
    case 'flush':
    case 'compact':
      return [t(`context.warning.${warning.code}`)]
  }
}

/** Shares of the context window above which tool definitions, and the fixed part of each request, cause a warning. */
const maxToolsShare = 0.1
const maxFixedShare = 0.4
/** Tokens of MEMORY.md above which there is a warning, since every request includes it. */
const maxMemoryTokens = 3000

type ContextWarning =
  | { readonly code: 'cut'; readonly path: string; readonly raw: number; readonly sent: number }
  | { readonly code: 'tools'; readonly share: number }
  | { readonly code: 'memory'; readonly path: string; readonly tokens: number }
  | { readonly code: 'fixed'; readonly share: number }
  | ({ readonly code: 'window'; readonly model: string } & ContextWindowEstimate)
  | { readonly code: 'compact' | 'flush' }

/** Returns warnings about the next request: pending steps, truncated files, and shares above the limits. */
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
    .filter(({ layer, name }) => layer === 'system' && (name === 'tools' || toolNameOfItem(name) !== undefined))
    .reduce((sum, { tokens }) => sum + tokens, 0)
  if (share(tools) > maxToolsShare) warnings.push({ code: 'tools', share: share(tools) })
  const memory = items.find(({ layer, name }) => layer === 'project' && isLongTermPath(name))
  if (memory && memory.tokens > maxMemoryTokens)
    warnings.push({ code: 'memory', path: memory.name, tokens: memory.tokens })
  const fixed = items.reduce(
    (sum, { layer, tokens }) => (layer === 'system' || layer === 'project' || layer === 'logs' ? sum + tokens : sum),
    0,
  )
  if (share(fixed) > maxFixedShare) warnings.push({ code: 'fixed', share: share(fixed) })
  return warnings
}
