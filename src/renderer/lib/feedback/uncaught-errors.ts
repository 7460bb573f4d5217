import i18next from 'i18next'
import { toast } from 'sonner'
import { describeError } from '../ui/error-actions.tsx'

const quietMs = 30_000
/** Limit of remembered errors: a changing number or path makes each message unique. */
const maxRemembered = 20

/** Reported as an error event although the layout settles in the next frame. */
const harmless = /^ResizeObserver loop/

/** Shows a toast for uncaught errors and unhandled rejections of this window. */
export function reportUncaughtErrors(): void {
  const toldAt = new Map<string, number>()
  const tell = (error: unknown, words: string) => {
    if (harmless.test(words) || isCancelled(error)) return
    const now = Date.now()
    if (now - (toldAt.get(words) ?? -Infinity) < quietMs) return
    toldAt.delete(words)
    toldAt.set(words, now)
    for (const oldest of toldAt.keys()) {
      if (toldAt.size <= maxRemembered) break
      toldAt.delete(oldest)
    }
    toast.error(i18next.t('broken.uncaught'), {
      id: 'uncaught',
      description: words.slice(0, 200),
      action: {
        label: i18next.t('common.copyDetails'),
        onClick: () => void navigator.clipboard.writeText(describeError(error)),
      },
    })
  }
  addEventListener('error', ({ error, message }) => tell(error ?? message, message))
  addEventListener('unhandledrejection', ({ reason }) =>
    tell(reason, reason instanceof Error ? reason.message : String(reason)),
  )
}

/** Cancelled work (a closed view, a disposed editor) rejects with one of these names. */
function isCancelled(error: unknown): boolean {
  return error instanceof Error && (error.name === 'AbortError' || error.name === 'Canceled')
}
