import i18next from 'i18next'
import { toast } from 'sonner'
import { explainError } from './explain.ts'
import { MutationCache } from '@tanstack/react-query'
import { describeError } from '../ui/elements.tsx'

/** Shows an error toast. Errors with the same text share one toast. */
export function showError(error: unknown): void {
  const text = explainError(error)
  toast.error(text, { id: text })
}

/**
 * Awaits work outside a component's mutation (a toast's action, a stream, several calls in a row) and shows a
 * toast if it fails.
 * @returns the result as `value`, or undefined if the work failed
 */
export async function runWithErrorToast<T>(work: Promise<T>): Promise<{ readonly value: T } | undefined> {
  try {
    return { value: await work }
  } catch (error) {
    showError(error)
    return undefined
  }
}

/** Duration of a toast with an action, in ms. Hovering pauses it. */
export const undoToastMs = 10_000

interface ToastOptions {
  readonly look?: 'plain' | 'success'
  /** Replaces the toast with the same id. */
  readonly id?: string
  readonly durationMs?: number
}

/** Duration of a toast whose undo people decide about later, in ms: after a look at the result, or another try. */
export const longUndoToastMs = 60_000

/** Shows a toast with an undo action, if there is one. If the undo fails, a toast offers it again. */
export function showSuccess(
  text: string,
  undo: (() => Promise<unknown>) | undefined,
  { look = 'success', id, durationMs = undoToastMs }: ToastOptions = {},
): void {
  const show = look === 'plain' ? toast : toast.success
  show(text, { ...(undo && { duration: durationMs, action: undoAction(undo) }), ...(id === undefined ? {} : { id }) })
}

interface StickyToast {
  readonly id: string
  readonly description: string
  readonly undo: (() => Promise<unknown>) | undefined
  readonly link: { readonly label: string; readonly go: () => void }
  readonly onDismiss: () => void
}

/** Shows a toast for a change made in the background. It stays until the user acts on it or dismisses it. */
export function showSticky(text: string, { id, description, undo, link, onDismiss }: StickyToast): void {
  const undoButton = undo && undoAction(undo)
  const dismissThen = (action: () => void) => () => {
    onDismiss()
    action()
  }
  toast.info(text, {
    id,
    description,
    duration: Infinity,
    closeButton: true,
    onDismiss,
    cancel: { label: link.label, onClick: dismissThen(link.go) },
    ...(undoButton && { action: { label: undoButton.label, onClick: dismissThen(undoButton.onClick) } }),
  })
}

function undoAction(undo: () => Promise<unknown>) {
  const undoOrRetry = async () => {
    try {
      await undo()
    } catch (error) {
      toast.error(explainError(error), { duration: longUndoToastMs, action: undoAction(undo) })
    }
  }
  return { label: i18next.t('common.undo'), onClick: () => void undoOrRetry() }
}

declare module '@tanstack/react-query' {
  interface Register {
    /** `handlesError`: the component shows the failure itself, so there is no toast. */
    mutationMeta: { readonly handlesError?: boolean }
  }
}

export function createMutationCache(): MutationCache {
  return new MutationCache({
    onError: (error, _input, _result, { meta }) => {
      if (!meta?.handlesError) showError(error)
    },
  })
}

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
