import { t } from 'i18next'
import { Link } from 'wouter'
import { paths } from '#lib/router/paths.ts'
import { useVaultSettings } from '#lib/notes/use-vault-settings.ts'
import { dailyPattern } from './vault-setting-names.ts'

export function VaultSettingsLine({ agent }: { agent: string }) {
  const conventions = useVaultSettings(agent)
  if (!conventions || conventions.kind === 'plain') return null
  const line = t('vault.line', { kind: t(`vault.kind.${conventions.kind}`), daily: dailyPattern(conventions.daily) })
  return (
    <p data-testid="vault-line" className="flex gap-2 px-2 pb-1 text-[11px] text-muted">
      <span className="min-w-0 truncate" title={line}>
        {line}
      </span>
      <Link href={paths.settings('vault')} className="shrink-0 text-accent hover:underline">
        {t('vault.change')}
      </Link>
    </p>
  )
}
