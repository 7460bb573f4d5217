import { Eye, TriangleAlert } from 'lucide-react'
import { t } from 'i18next'
import { Link } from 'wouter'
import type { ContextItem, ContextReport, Layer } from '#shared/contract/index.ts'
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
      {warnings.map(({ text, href, remedy }) => (
        <li key={text} data-testid="context-warning" className="flex items-baseline gap-2">
          <TriangleAlert size={13} aria-hidden className="shrink-0 self-center text-warning" />
          <span>{text}</span>
          {href !== undefined && (
            <TextLink href={href} className="shrink-0">
              {remedy}
            </TextLink>
          )}
        </li>
      ))}
    </ul>
  )
}

/** Shares of the context window above which tool definitions, and the fixed part of each request, cause a warning. */
const maxToolsShare = 0.1
const maxFixedShare = 0.4
/** Tokens of MEMORY.md above which there is a warning, since every request includes it. */
const maxMemoryTokens = 3000

export function contextWarnings(report: ContextReport) {
  const { items, contextWindow, model, next = [], learned } = report
  const shareOf = (isCounted: (item: ContextItem) => boolean) =>
    items.filter(isCounted).reduce((sum, { tokens }) => sum + tokens, 0) / contextWindow
  const warnings: { code: string; text: string; href?: string; remedy?: string }[] = []
  const step = (['compact', 'flush'] as const).find((name) => next.includes(name))
  if (step) warnings.push({ code: step, text: t(`context.warning.${step}`) })
  if (learned) {
    const sizes = { window: formatNumber(learned.window), believed: formatNumber(learned.believed) }
    const text = t(`context.warning.${learned.isGuess ? 'windowGuess' : 'windowNamed'}`, { model, ...sizes })
    warnings.push({ code: 'window', text, href: paths.settings('models'), remedy: t('context.remedy.window') })
  }
  for (const { name: path, rawCharacters, sentCharacters } of items.filter(({ note }) => note === 'cut')) {
    const sizes = { raw: formatNumber(rawCharacters), sent: formatNumber(sentCharacters) }
    const text = t('context.warning.cut', { path, ...sizes })
    warnings.push({ code: 'cut', text, href: paths.file(path), remedy: t('context.remedy.shorten') })
  }
  const tools = shareOf(
    ({ layer, name }) => layer === 'system' && (name === 'tools' || toolNameOfItem(name) !== undefined),
  )
  if (tools > maxToolsShare) {
    const text = t('context.warning.tools', { share: formatPercent(tools) })
    warnings.push({ code: 'tools', text, href: paths.settings('tools'), remedy: t('context.remedy.tools') })
  }
  const memory = items.find(({ layer, name }) => layer === 'project' && isLongTermPath(name))
  if (memory && memory.tokens > maxMemoryTokens) {
    const text = t('context.warning.memory', { path: memory.name, tokens: formatNumber(memory.tokens) })
    warnings.push({ code: 'memory', text, href: paths.file(memory.name), remedy: t('context.remedy.move') })
  }
  const fixed = shareOf(({ layer }) => layer === 'system' || layer === 'project' || layer === 'logs')
  if (fixed > maxFixedShare) {
    const text = t('context.warning.fixed', { share: formatPercent(fixed) })
    warnings.push({ code: 'fixed', text, href: paths.settings('models'), remedy: t('context.remedy.model') })
  }
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
        // The labels of the two thresholds would overlap, so one of them is higher.
        thresholdsOf(report).map(([name, tokens]) => (
          <div
            key={name}
            className="pointer-events-none absolute -bottom-1 w-px bg-text"
            style={{ left: width(tokens), top: name === 'flush' ? -24 : -8 }}
          >
            <span
              className={`absolute -top-1 text-[11px] whitespace-nowrap text-muted max-sm:text-[10px] ${name === 'flush' ? 'right-1.5' : 'left-1.5'}`}
            >
              {t(`context.${name}`, { tokens: formatShort(tokens) })}
            </span>
          </div>
        ))}
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
