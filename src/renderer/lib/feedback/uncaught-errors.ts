import i18next from 'i18next'
import { toast } from 'sonner'
import { describeError } from '../ui/error-actions.tsx'

/** The same error is shown again only after this time, in ms. */
const repeatMs = 30_000
/** Limit of the map of errors, since a number or path can make each message unique. */
const maxTracked = 20

/** Browsers report this as an error, although the layout settles in the next frame. */
const ignoredErrors = /^ResizeObserver loop/

export function reportUncaughtErrors(): void {
  const lastShownAt = new Map<string, number>()
  const report = (error: unknown, message: string) => {
    // Cancelled work (a closed view, a disposed editor) rejects with one of these names.
    const isCancelled = error instanceof Error && (error.name === 'AbortError' || error.name === 'Canceled')
    if (ignoredErrors.test(message) || isCancelled) return
    const now = Date.now()
    if (now - (lastShownAt.get(message) ?? -Infinity) < repeatMs) return
    lastShownAt.delete(message)
    lastShownAt.set(message, now)
    for (const oldest of lastShownAt.keys()) {
      if (lastShownAt.size <= maxTracked) break
      lastShownAt.delete(oldest)
    }
    toast.error(i18next.t('broken.uncaught'), {
      id: 'uncaught',
      description: message.slice(0, 200),
      action: {
        label: i18next.t('common.copyDetails'),
        onClick: () => void navigator.clipboard.writeText(describeError(error)),
      },
    })
  }
  addEventListener('error', ({ error, message }) => report(error ?? message, message))
  addEventListener('unhandledrejection', ({ reason }) =>
    report(reason, reason instanceof Error ? reason.message : String(reason)),
  )
}
