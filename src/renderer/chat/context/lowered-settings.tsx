import { t } from 'i18next'
import type { ContextReport } from '#shared/contract/index.ts'
import { formatNumber } from '#lib/i18n/format.ts'

const nameKeys = {
  reserveTokensFloor: 'setting.compaction_reserveTokensFloor',
  keepRecentTokens: 'setting.compaction_keepRecentTokens',
  softThresholdTokens: 'setting.compaction_memoryFlush_softThresholdTokens',
} as const

/** Names the settings that the context window of the model lowers. */
export function LoweredSettings({ report: { lowered, off, contextWindow } }: { report: ContextReport }) {
  const used = lowered?.filter(({ setting }) => setting !== 'softThresholdTokens' || !off?.includes('flush'))
  if (!used || used.length === 0) return null
  const window = formatNumber(contextWindow)
  return (
    <ul className="mt-4 text-[12px] text-muted">
      {used.map(({ setting, from, to }) => (
        <li key={setting} data-testid="lowered-setting">
          {t('context.lowered', { window, name: t(nameKeys[setting]), from: formatNumber(from), to: formatNumber(to) })}
        </li>
      ))}
    </ul>
  )
}
