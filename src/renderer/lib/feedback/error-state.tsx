import { t } from 'i18next'
import { describeError, ErrorActions } from '../ui/error-actions.tsx'
import { explainError } from './explain.ts'

export function ErrorState({ error, onRetry }: { error: unknown; onRetry?: () => void }) {
  return (
    <div role="alert" className="mx-auto flex max-w-lg flex-col items-center gap-2 px-6 py-16 text-center">
      <p className="text-[15px] font-medium">{t('common.errorTitle')}</p>
      <p className="mb-3 text-muted">{explainError(error)}</p>
      <ErrorActions details={describeError(error)} onRetry={onRetry} />
    </div>
  )
}

interface ErrorTextProps {
  readonly error: Error | null
  readonly explain?: (error: Error) => string
  readonly id?: string
}

/** Shows the sentence for an error; nothing without an error. */
export function ErrorText({ error, explain = explainError, id }: ErrorTextProps) {
  if (!error) return null
  return (
    <p id={id} role="alert" className="wrap-anywhere text-bad">
      {explain(error)}
    </p>
  )
}
