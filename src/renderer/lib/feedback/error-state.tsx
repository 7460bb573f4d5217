import { useTranslation } from 'react-i18next'
import { describeError, ErrorActions } from '../ui/error-actions.tsx'
import { explainError } from './explain.ts'

export function ErrorState({ error, onRetry }: { error: unknown; onRetry?: () => void }) {
  const { t } = useTranslation()
  return (
    <div role="alert" className="mx-auto flex max-w-lg flex-col items-center gap-2 px-6 py-16 text-center">
      <p className="text-[15px] font-medium">{t('common.errorTitle')}</p>
      <p className="mb-3 text-muted">{explainError(error)}</p>
      <ErrorActions details={describeError(error)} onRetry={onRetry} />
    </div>
  )
}
