import i18next from 'i18next'
import { toast } from 'sonner'
import { describeError } from '../ui/error-actions.tsx'

/** The same failure is not told again for so long, ms. */
const quietMs = 30_000
/** Failures remembered: each may carry another number or path in its words. */
const maxRemembered = 20

/** Browsers report this through the same door; layout that settles in the next frame is no failure. */
const harmless = /^ResizeObserver loop/

export function tellUncaught(): void {
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

/** Work that was called off (a view that closed, an editor that went) says so by rejecting. */
function isCancelled(error: unknown): boolean {
  return error instanceof Error && (error.name === 'AbortError' || error.name === 'Canceled')
}
