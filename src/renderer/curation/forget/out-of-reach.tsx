/** What no app can take back: said before anybody believes that all of it is gone. */
import { useTranslation } from 'react-i18next'

export function OutOfReach({ git, models }: { git: string | null; models: readonly string[] }) {
  const { t } = useTranslation()
  const items = [
    ...(models.length === 0 ? [] : [t('forget.reach.models', { models: models.join(', ') })]),
    ...(git === null ? [] : [t('forget.reach.git', { path: git })]),
    t('forget.reach.backups'),
    t('forget.reach.programs'),
    t('forget.reach.agents'),
  ]
  return (
    <section aria-label={t('forget.reach.title')} className="flex flex-col gap-1.5">
      <h2 className="font-semibold">{t('forget.reach.title')}</h2>
      <ul className="flex list-disc flex-col gap-0.5 pl-5">
        {items.map((item) => (
          <li key={item} className="break-words">
            {item}
          </li>
        ))}
      </ul>
    </section>
  )
}
