/** Said over whatever is shown, where it does not help to wait: this browser was not let in, or no longer is. */
import { TriangleAlert } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { useConnectionState } from '../api/index.ts'

export function ConnectionNotice() {
  const { t } = useTranslation()
  if (useConnectionState() !== 'refused') return null
  return (
    <p
      role="alert"
      className="fixed inset-x-0 top-0 z-50 flex items-center justify-center gap-2 border-b border-line bg-side px-4 py-3 text-warning"
    >
      <TriangleAlert size={14} aria-hidden />
      {t('status.refused')}
    </p>
  )
}
