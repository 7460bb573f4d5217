/** For an address that leads nowhere. */
import { useTranslation } from 'react-i18next'
import { useLocation } from 'wouter'
import { paths } from '#lib/router/paths.ts'
import { Button } from '#lib/ui/button.tsx'
import { EmptyState } from '#lib/ui/states.tsx'
import { ViewHeader } from '#lib/ui/view-header.tsx'

export function NoSuchPage() {
  const { t } = useTranslation()
  const [, navigate] = useLocation()
  return (
    <section aria-label={t('nav.noSuchPage')} className="flex min-w-0 flex-1 flex-col">
      <ViewHeader title={t('nav.noSuchPage')} />
      <EmptyState title={t('nav.noSuchPage')} hint={t('nav.noSuchPageHint')}>
        <Button look="primary" onClick={() => navigate(paths.chat())}>
          {t('nav.newChat')}
        </Button>
      </EmptyState>
    </section>
  )
}
