/** The sections of the settings, to choose from. */
import { useTranslation } from 'react-i18next'
import { Link, useLocation } from 'wouter'
import { paths } from '#lib/router/paths.ts'
import { sections, type SectionId } from './setting-sections.ts'

interface SectionNavProps {
  readonly shown: SectionId | undefined
  readonly onFollow: () => void
}

/** At the left; above, in a field, where there is no room. */
export function SectionNav({ shown, onFollow }: SectionNavProps) {
  const { t } = useTranslation()
  const [, navigate] = useLocation()
  return (
    <>
      <nav
        aria-label={t('settings.sections')}
        className="hidden w-44 shrink-0 flex-col gap-0.5 overflow-y-auto border-r border-line p-3 @2xl:flex"
      >
        {sections.map(({ id }) => (
          <Link
            key={id}
            href={paths.settings(id)}
            onClick={onFollow}
            aria-current={id === shown ? 'page' : undefined}
            className="flex min-h-7 items-center rounded-sm px-2 text-muted hover:bg-soft hover:text-text aria-[current]:bg-selected aria-[current]:text-text"
          >
            {t(`settings.section.${id}`)}
          </Link>
        ))}
      </nav>
      <select
        aria-label={t('settings.sections')}
        value={shown ?? ''}
        onChange={(event) => {
          onFollow()
          navigate(paths.settings(event.target.value))
        }}
        className="m-3 mb-0 min-h-8 rounded-sm border border-line bg-raised px-2 @2xl:hidden"
      >
        {shown === undefined && <option value="">{t('settings.find')}</option>}
        {sections.map(({ id }) => (
          <option key={id} value={id}>
            {t(`settings.section.${id}`)}
          </option>
        ))}
      </select>
    </>
  )
}
