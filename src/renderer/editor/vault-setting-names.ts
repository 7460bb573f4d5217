import { t } from 'i18next'
import type { VaultConventions } from '#shared/contract/index.ts'

/** Describes the detected vault for a folder that is about to be opened. */
export function describeVault({ kind, daily }: VaultConventions, count: number): string {
  return t('vault.found', {
    kind: t(`vault.kind.${kind}`),
    notes: t('vault.notes', { count }),
    daily: dailyPattern(daily),
  })
}

/** Returns the path pattern of daily notes, such as `journals/YYYY_MM_DD`. */
export function dailyPattern({ folder, format }: VaultConventions['daily']): string {
  return folder === '' ? format : `${folder}/${format}`
}
