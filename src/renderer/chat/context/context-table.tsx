import { Eye, TriangleAlert } from 'lucide-react'
import { t } from 'i18next'
import { Link } from 'wouter'
import type { ContextItem, ContextReport, ContextWindowEstimate, Layer } from '#shared/contract/index.ts'
import { formatNumber, formatPercent, formatShort } from '#lib/i18n/format.ts'
import { IconButton, TextLink } from '#lib/ui/elements.tsx'
import { paths } from '#lib/router/paths.ts'
import { layers, toolNameOfItem, messageRangeOfItem } from '#shared/chat/context-items.ts'
import { isLongTermPath } from '#shared/util/agent-files.ts'

export function ContextTable({ report, onOpen }: { report: ContextReport; onOpen: (item: ContextItem) => void }) {
  const { items, estimatedTokens, reportedTokens, contextWindow } = report
  return (
    <>
      <div className="flex flex-wrap items-center gap-x-5 gap-y-1 pt-3 text-[12px]">
        {layers.map((layer) => {
          const tokens = items.reduce((sum, item) => (item.layer === layer ? sum + item.tokens : sum), 0)
          return tokens === 0 ? null : (
            <span key={layer} className="flex items-center gap-1.5">
              <span aria-hidden className="size-2.5 rounded-[3px]" style={{ background: layerColor(layer) }} />
              {t(`context.layers.${layer}`)} <span className="tabular text-muted">{formatShort(tokens)}</span>
            </span>
          )
        })}
        <span className="flex-1" />
        <span className="tabular">
          <strong className="font-semibold">
            {t('context.of', { tokens: formatNumber(estimatedTokens), window: formatNumber(contextWindow) })}
          </strong>
          <span className="text-muted"> · {t(reportedTokens === null ? 'context.estimated' : 'context.counted')}</span>
        </span>
      </div>
      <table className="mt-6 w-full border-collapse text-left">
        <thead className="text-[12px] text-muted">
          <tr className="border-b border-line">
            <th className="py-2 font-medium">{t('context.item')}</th>
            <th className="font-medium max-sm:hidden">{t('context.layer')}</th>
            <th className="pl-3 text-right font-medium">{t('context.tokens')}</th>
            <th className="pr-6 pl-3 text-right font-medium max-sm:pr-3">{t('context.share')}</th>
            <th className="font-medium">{t('context.note')}</th>
            <th className="sr-only">{t('context.asSent')}</th>
          </tr>
        </thead>
        <tbody>
          {items.map((item) => (
            <Row key={`${item.layer}/${item.name}`} item={item} total={estimatedTokens} onOpen={() => onOpen(item)} />
          ))}
        </tbody>
        <tfoot>
          <tr className="font-semibold">
            <td className="py-2">{t('context.total')}</td>
            <td className="max-sm:hidden" />
            <td className="tabular text-right" data-testid="context-total">
              {formatNumber(estimatedTokens)}
            </td>
            <td colSpan={3} />
          </tr>
        </tfoot>
      </table>
    </>
  )
}

function Row({ item, total, onOpen }: { item: ContextItem; total: number; onOpen: () => void }) {
  const isFile = item.layer === 'project' || item.layer === 'logs'
  const name = itemName(item)
  return (
    <tr className="border-b border-soft" data-testid="context-item">
      <td className="py-1">
        {isFile ? (
          <Link href={paths.file(item.name)} className="font-mono text-[12px] hover:underline">
            {item.name}
          </Link>
        ) : (
          <span className={item.layer === 'tools' ? 'font-mono text-[12px]' : ''}>{name}</span>
        )}
        {item.about !== undefined && (
          <span className="ml-2 text-[12px] break-words text-muted max-sm:ml-0 max-sm:block">{item.about}</span>
        )}
      </td>
      <td className="text-muted max-sm:hidden">{t(`context.layers.${item.layer}`)}</td>
      <td className="tabular pl-3 text-right" data-tokens={item.tokens}>
        {formatNumber(item.tokens)}
      </td>
      <td className="tabular pr-6 pl-3 text-right max-sm:pr-3">
        {formatPercent(total === 0 ? 0 : item.tokens / total)}
      </td>
      <td className={item.note === 'cut' ? 'text-warning' : 'whitespace-nowrap text-muted'}>
        {item.note &&
          t(`context.${item.note}`, { raw: formatNumber(item.rawCharacters), sent: formatNumber(item.sentCharacters) })}
      </td>
      <td className="w-8 text-right">
        {item.note !== 'missing' && <IconButton icon={Eye} label={t('context.open', { name })} onClick={onOpen} />}
      </td>
    </tr>
  )
}

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
              <TextLink href={href} className="shrink-0">
                {remedy}
              </TextLink>
            )}
          </li>
        )
      })}
    </ul>
  )
}

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

interface ContextBarProps {
  readonly report: ContextReport
  readonly isSmall?: boolean
  readonly onOpen?: (item: ContextItem) => void
}

export function ContextBar({ report, isSmall = false, onOpen }: ContextBarProps) {
  const width = (tokens: number) => `${Math.min(100, (tokens / report.contextWindow) * 100)}%`
  const label = t('context.meter', {
    tokens: formatShort(report.estimatedTokens),
    window: formatShort(report.contextWindow),
  })
  return (
    <div role="img" aria-label={label} className={isSmall ? 'relative h-1.5' : 'relative mt-8 h-9'}>
      <div className={`absolute inset-0 flex overflow-hidden bg-soft ${isSmall ? 'rounded-full' : 'rounded-sm'}`}>
        {report.items.map((item) =>
          item.tokens === 0 ? null : (
            // Needs no keyboard access: the table contains the same items.
            <div
              key={`${item.layer}/${item.name}`}
              title={`${itemName(item)} · ${formatNumber(item.tokens)}`}
              onClick={onOpen && (() => onOpen(item))}
              className={
                isSmall ? '' : `border-r border-paper/60 hover:brightness-110 ${onOpen ? 'cursor-pointer' : ''}`
              }
              style={{ width: width(item.tokens), background: layerColor(item.layer) }}
            />
          ),
        )}
        <span className="flex-1" />
        <div
          title={`${t('context.reserve')} · ${formatNumber(report.reserveTokens)}`}
          style={{
            width: width(report.reserveTokens),
            backgroundImage: 'repeating-linear-gradient(135deg, var(--line) 0 1px, transparent 1px 5px)',
          }}
        />
      </div>
      {!isSmall &&
        thresholdsOf(report).map(([name, tokens]) => {
          const text = t(`context.${name}`, { tokens: formatShort(tokens) })
          return <Tick key={name} at={width(tokens)} label={text} isHigh={name === 'flush'} />
        })}
    </div>
  )
}

/** A threshold on the bar. The labels of the two thresholds would overlap, so one of them is higher. */
function Tick({ at, label, isHigh = false }: { at: string; label: string; isHigh?: boolean }) {
  return (
    <div className="pointer-events-none absolute -bottom-1 w-px bg-text" style={{ left: at, top: isHigh ? -24 : -8 }}>
      <span
        className={`absolute -top-1 text-[11px] whitespace-nowrap text-muted max-sm:text-[10px] ${isHigh ? 'right-1.5' : 'left-1.5'}`}
      >
        {label}
      </span>
    </div>
  )
}

export function layerColor(layer: Layer): string {
  return `var(--layer-${layer})`
}

export function itemName({ layer, name }: Pick<ContextItem, 'layer' | 'name'>): string {
  if (layer === 'tools') return name
  if (layer === 'recalled') return t('context.layers.recalled')
  const tool = layer === 'system' ? toolNameOfItem(name) : undefined
  if (tool !== undefined) return t('context.name.tool', { name: tool })
  const range = layer === 'conversation' ? messageRangeOfItem(name) : undefined
  if (range)
    return t(range.from === range.to ? 'context.name.oneMessage' : 'context.name.messages', {
      from: formatNumber(range.from),
      to: formatNumber(range.to),
    })
  switch (name) {
    case 'system prompt':
    case 'tools':
    case 'conversation':
    case 'message':
    case 'summary':
      return t(`context.name.${name}`)
    default:
      return name
  }
}

/** Returns the thresholds of the steps that the settings do not turn off, in tokens. */
export function thresholdsOf({ flushAt, compactAt, off = [] }: Pick<ContextReport, 'flushAt' | 'compactAt' | 'off'>) {
  const thresholds = [['flush', flushAt] as const, ['compact', compactAt] as const]
  return thresholds.filter(([name]) => !off.includes(name))
}
