/** What to look at, each with its remedy one click away. */
import { TriangleAlert } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { Link } from 'wouter'
import type { ContextReport } from '#shared/contract/index.ts'
import { formatNumber, formatPercent } from '#lib/i18n/format.ts'
import { paths } from '#lib/router/paths.ts'
import { contextWarnings, type ContextWarning } from './warnings.ts'

export function WarningList({ report }: { report: ContextReport }) {
  const { t } = useTranslation()
  const warnings = contextWarnings(report)
  if (warnings.length === 0) return null
  return (
    <ul aria-label={t('context.warnings')} className="mt-5 flex flex-col gap-1">
      {warnings.map((warning) => (
        <li
          key={`${warning.code}/${'path' in warning ? warning.path : ''}`}
          data-testid="context-warning"
          className="flex items-baseline gap-2"
        >
          <TriangleAlert size={13} aria-hidden className="shrink-0 self-center text-warning" />
          <Warning warning={warning} />
        </li>
      ))}
    </ul>
  )
}

function Warning({ warning }: { warning: ContextWarning }) {
  const { t } = useTranslation()
  const remedy = 'shrink-0 text-accent hover:underline'
  switch (warning.code) {
    case 'cut':
      return (
        <>
          <span>
            {t('context.warning.cut', {
              path: warning.path,
              raw: formatNumber(warning.raw),
              sent: formatNumber(warning.sent),
            })}
          </span>
          <Link href={paths.file(warning.path)} className={remedy}>
            {t('context.remedy.shorten')}
          </Link>
        </>
      )
    case 'memory':
      return (
        <>
          <span>{t('context.warning.memory', { path: warning.path, tokens: formatNumber(warning.tokens) })}</span>
          <Link href={paths.file(warning.path)} className={remedy}>
            {t('context.remedy.move')}
          </Link>
        </>
      )
    case 'tools':
      return (
        <>
          <span>{t('context.warning.tools', { share: formatPercent(warning.share) })}</span>
          <Link href={paths.settings('tools')} className={remedy}>
            {t('context.remedy.tools')}
          </Link>
        </>
      )
    case 'fixed':
      return (
        <>
          <span>{t('context.warning.fixed', { share: formatPercent(warning.share) })}</span>
          <Link href={paths.settings('models')} className={remedy}>
            {t('context.remedy.model')}
          </Link>
        </>
      )
    case 'window':
      return (
        <>
          <span>
            {t(warning.isGuess ? 'context.warning.windowGuess' : 'context.warning.windowNamed', {
              model: warning.model,
              window: formatNumber(warning.window),
              believed: formatNumber(warning.believed),
            })}
          </span>
          <Link href={paths.settings('models')} className={remedy}>
            {t('context.remedy.window')}
          </Link>
        </>
      )
    case 'flush':
    case 'compact':
      return <span>{t(`context.warning.${warning.code}`)}</span>
  }
}
