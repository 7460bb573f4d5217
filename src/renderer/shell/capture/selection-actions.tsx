/** What can be done with selected words, wherever they stand. */
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useLocation } from 'wouter'
import { Button } from '#lib/ui/button.tsx'
import { paths } from '#lib/router/paths.ts'
import { useSelectedText, type SelectedText } from '#lib/util/selected-text.ts'

/** Words of a selection that make a question; more of them find no more. */
const maxQueryCharacters = 200

export function SelectionActions({ onCapture }: { onCapture: (text: string) => void }) {
  const { t } = useTranslation()
  const [, navigate] = useLocation()
  const selected = useSelectedText()
  const [dismissed, setDismissed] = useState<SelectedText>()
  useEffect(() => {
    if (!selected) return undefined
    const onKey = (event: KeyboardEvent) => event.key === 'Escape' && setDismissed(selected)
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [selected])
  if (!selected || selected === dismissed) return null
  const { text, left, bottom, place } = selected
  const query = text.replace(/\s+/g, ' ').trim().slice(0, maxQueryCharacters)
  const leave = (next: () => void) => () => {
    setDismissed(selected)
    getSelection()?.removeAllRanges()
    next()
  }
  return (
    <div
      role="toolbar"
      aria-label={t('selection.actions')}
      // The selection stays while its actions are pointed at.
      onMouseDown={(event) => event.preventDefault()}
      className="fixed z-30 flex gap-0.5 rounded-md border border-line bg-raised p-0.5 text-[12px] shadow-md"
      style={{ left: Math.min(left, innerWidth - 380), top: Math.min(bottom + 6, innerHeight - 44) }}
    >
      <Button look="quiet" onClick={leave(() => navigate(paths.search(query)))}>
        {t('selection.related')}
      </Button>
      {place && (
        <Button look="quiet" onClick={leave(() => navigate(paths.search(undefined, place)))}>
          {t('selection.why')}
        </Button>
      )}
      <Button look="quiet" onClick={leave(() => onCapture(text))}>
        {t('chat.remember')}
      </Button>
    </div>
  )
}
