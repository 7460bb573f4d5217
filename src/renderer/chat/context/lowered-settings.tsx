import { t } from 'i18next'
import type { ContextReport } from '#shared/contract/index.ts'
import { formatNumber } from '#lib/i18n/format.ts'

/** Names the settings that the context window of the model lowers. */
export function LoweredSettings({ report: { lowered = [], off = [], contextWindow } }: { report: ContextReport }) {
  const used = lowered.filter(({ setting }) => setting !== 'softThresholdTokens' || !off.includes('flush'))
  if (used.length === 0) return null
  return (
    <ul aria-label={t('context.loweredTitle')} className="mt-4 flex flex-col gap-0.5 text-[12px] text-muted">
      {used.map(({ setting, from, to }) => (
        <li key={setting} data-testid="lowered-setting">
          {t(`context.lowered.${setting}`, {
            window: formatNumber(contextWindow),
            from: formatNumber(from),
            to: formatNumber(to),
          })}
        </li>
      ))}
    </ul>
  )
}
