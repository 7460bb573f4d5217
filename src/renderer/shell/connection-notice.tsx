/** Said above whatever is shown, where it does not help to wait: this browser was not let in, or no longer is. */
import { TriangleAlert } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { useConnectionState } from '#lib/api/client.ts'

export function ConnectionNotice() {
  const { t } = useTranslation()
  if (useConnectionState() !== 'refused') return null
  return (
    <p
      role="alert"
      className="flex shrink-0 items-start justify-center gap-2 border-b border-line bg-side px-4 py-2.5 text-warning"
    >
      <TriangleAlert size={14} aria-hidden className="mt-1 shrink-0" />
      <span className="min-w-0">
        {t('status.refused')}{' '}
        {/* Another page of this browser that is let in lets this one in too, with all that was typed here. */}
        <a href="/?token=" target="_blank" rel="noopener" className="whitespace-nowrap text-accent hover:underline">
          {t('status.enterKey')}
        </a>
      </span>
    </p>
  )
}
