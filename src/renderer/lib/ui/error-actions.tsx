import { t } from 'i18next'
import { Button } from './button.tsx'
import { useCopy } from '../util/copy-text.ts'

interface ErrorActionsProps {
  readonly details: string
  readonly onRetry?: (() => void) | undefined
  /** `link`: inline, after a sentence. */
  readonly look?: 'link' | 'plain'
}

export function ErrorActions({ details, onRetry, look = 'plain' }: ErrorActionsProps) {
  const { isCopied, copy } = useCopy()
  return (
    <span className={`flex ${look === 'link' ? 'gap-3' : 'gap-2'}`}>
      {onRetry && (
        <Button look={look} onClick={onRetry}>
          {t('common.retry')}
        </Button>
      )}
      <Button look={look === 'link' ? 'link' : 'quiet'} onClick={() => copy(details)}>
        {t(isCopied ? 'chat.copied' : 'common.copyDetails')}
      </Button>
    </span>
  )
}

/** Returns the stack or message for a bug report. Accepts anything that can be thrown. */
export function describeError(error: unknown): string {
  return error instanceof Error ? (error.stack ?? `${error.name}: ${error.message}`) : String(error)
}
