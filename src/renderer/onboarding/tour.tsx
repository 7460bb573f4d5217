/** Three hints after the first start; they stand aside and never come back. */
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { commandKeys } from '../command-keys.ts'
import { Button } from '../ui/button.tsx'
import { showKeys } from '../ui/keys.ts'
import { endTour, isTourDue } from './tour-state.ts'

const hints = ['files', 'why', 'palette'] as const

export function Tour() {
  const { t } = useTranslation()
  const [at, setAt] = useState(() => (isTourDue() ? 0 : hints.length))
  const hint = hints[at]
  if (!hint) return null
  const go = (next: number) => {
    if (next >= hints.length) endTour()
    setAt(next)
  }
  return (
    <aside
      aria-label={t('tour.title')}
      className="fixed right-5 bottom-12 z-30 flex w-72 flex-col gap-2 rounded-lg border border-line bg-raised p-4 shadow-float"
    >
      <p className="font-semibold">{t(`tour.${hint}.title`)}</p>
      <p className="text-muted">{t(`tour.${hint}.text`, { keys: showKeys(commandKeys.palette) })}</p>
      <p className="flex items-center gap-2 pt-1">
        <span className="tabular flex-1 text-[12px] text-muted">
          {at + 1}/{hints.length}
        </span>
        <Button look="quiet" onClick={() => go(hints.length)}>
          {t('tour.skip')}
        </Button>
        <Button onClick={() => go(at + 1)}>{t(at + 1 < hints.length ? 'tour.next' : 'tour.done')}</Button>
      </p>
    </aside>
  )
}
