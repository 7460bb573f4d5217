/** What is gone, and where it still stands. */
import { useTranslation } from 'react-i18next'
import type { ForgetOutcome } from '#shared/contract/index.ts'
import { forgetKinds } from '#shared/util/forget-kinds.ts'

/** Of each list. */
const maxListed = 60

export function ForgetOutcomeView({ outcome, words }: { outcome: ForgetOutcome; words: string }) {
  const { t } = useTranslation()
  const { removed, left, isStopped } = outcome
  const counts = forgetKinds
    .map((kind) => ({ kind, count: removed.filter((place) => place.kind === kind).length }))
    .filter(({ count }) => count > 0)
  return (
    <div role="status" className="flex flex-col gap-3" data-testid="forgotten">
      <h2 className="font-semibold">
        {isStopped ? t('forget.stopped') : left.length === 0 ? t('forget.done', { words }) : t('forget.partly')}
      </h2>
      {counts.length > 0 && (
        <ul className="flex flex-col gap-0.5">
          {counts.map(({ kind, count }) => (
            <li key={kind}>
              {t(`forget.kind.${kind}`)} <span className="text-muted">{t('forget.places', { count })}</span>
            </li>
          ))}
        </ul>
      )}
      {left.length > 0 && (
        <section aria-label={t('forget.left')}>
          <h3 className="font-semibold">{t('forget.left')}</h3>
          <ul className="flex flex-col gap-0.5">
            {left.slice(0, maxListed).map(({ kind, path }) => (
              <li key={`${kind}/${path}`} className="break-all">
                <span className="font-mono text-[12px]">{path}</span>{' '}
                <span className="text-[12px] text-muted">{t(`forget.kind.${kind}`)}</span>
              </li>
            ))}
          </ul>
        </section>
      )}
      <p className="max-w-[66ch] text-muted">{t('forget.verified')}</p>
    </div>
  )
}
