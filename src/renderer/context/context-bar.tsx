import { useTranslation } from 'react-i18next'
import type { ContextReport } from '../../shared/contract/index.ts'
import { formatShort } from '../i18n/format.ts'
import { layerColor, layers } from './layers.ts'

/** The whole window to scale: layers, the reserve hatched, and (large) the two thresholds as ticks. */
export function ContextBar({ report, small = false }: { report: ContextReport; small?: boolean }) {
  const { t } = useTranslation()
  const width = (tokens: number) => `${Math.min(100, (tokens / report.contextWindow) * 100)}%`
  const label = t('context.meter', {
    tokens: formatShort(report.estimatedTokens),
    window: formatShort(report.contextWindow),
  })
  return (
    <div role="img" aria-label={label} className={small ? 'relative h-1.5' : 'relative mt-8 h-9'}>
      <div className={`absolute inset-0 flex overflow-hidden bg-soft ${small ? 'rounded-full' : 'rounded-sm'}`}>
        {layers.map((layer) => {
          const tokens = report.items.reduce((sum, item) => (item.layer === layer ? sum + item.tokens : sum), 0)
          return tokens === 0 ? null : (
            <div
              key={layer}
              title={`${t(`context.layers.${layer}`)} ${formatShort(tokens)}`}
              style={{ width: width(tokens), background: layerColor(layer) }}
            />
          )
        })}
        <span className="flex-1" />
        <div
          title={t('context.reserve')}
          style={{
            width: width(report.reserveTokens),
            backgroundImage: 'repeating-linear-gradient(135deg, var(--line) 0 1px, transparent 1px 5px)',
          }}
        />
      </div>
      {!small && (
        <>
          <Tick at={width(report.flushAt)} label={t('context.flush', { tokens: formatShort(report.flushAt) })} raised />
          <Tick at={width(report.compactAt)} label={t('context.compact', { tokens: formatShort(report.compactAt) })} />
        </>
      )}
    </div>
  )
}

/** The two thresholds lie close together: their labels stand at different heights. */
function Tick({ at, label, raised = false }: { at: string; label: string; raised?: boolean }) {
  return (
    <div className="absolute -bottom-1 w-px bg-text" style={{ left: at, top: raised ? -24 : -8 }}>
      <span className={`absolute -top-1 text-[11px] whitespace-nowrap text-muted ${raised ? 'right-1.5' : 'left-1.5'}`}>
        {label}
      </span>
    </div>
  )
}
