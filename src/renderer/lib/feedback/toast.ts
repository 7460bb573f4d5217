import { ORPCError } from '@orpc/client'
import i18next from 'i18next'
import { explainCode, isErrorCode } from '#shared/i18n/explain.ts'
import type { ErrorCode } from '#shared/util/errors.ts'
import { toast, type ExternalToast } from 'sonner'
import { MutationCache } from '@tanstack/react-query'

/** Returns a sentence for the user. Treats any error outside the contract as a lost connection. */
export function explainError(error: unknown): string {
  if (error instanceof ORPCError && isErrorCode(error.code))
    return explainCode(error.code, { reason: error.message, ...(error.data as object) })
  return i18next.t('error.unreachable')
}

/** Explains an error of connecting a model. Unlike `explainError`, does not refer to a message or the settings. */
export function explainSetup(error: unknown): string {
  if (!(error instanceof ORPCError) || !isErrorCode(error.code)) return explainError(error)
  const data = { reason: error.message, ...(error.data as { provider?: string }) }
  const providerKey = `connect.called.${data.provider}`
  if (i18next.exists(providerKey)) data.provider = i18next.t(providerKey as 'connect.called.openai')
  const textKey = `connect.failed.${error.code}`
  if (!i18next.exists(textKey)) return explainCode(error.code, data)
  return String(i18next.t(textKey as 'connect.failed.provider_failed', data as { provider: string }))
}

export function isErrorOf(error: unknown, code: ErrorCode): boolean {
  return error instanceof ORPCError && error.code === code
}

export function describeError(error: unknown): string {
  return error instanceof Error ? (error.stack ?? `${error.name}: ${error.message}`) : String(error)
}

export function showError(error: unknown): void {
  const text = explainError(error)
  toast.error(text, { id: text })
}

/** Shows a toast if the work fails. @returns the result as `value`, or undefined if the work failed */
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

/** Duration of a toast whose undo people decide about later, in ms: after a look at the result, or another try. */
export const longUndoToastMs = 60_000

type Undo = () => Promise<unknown>

/** Shows a toast with an undo action, if there is one. If the undo fails, a toast offers it again. */
export function showSuccess(
  text: string,
  undo: Undo | undefined,
  { look = 'success', duration = undoToastMs, ...options }: ExternalToast & { look?: 'plain' | 'success' } = {},
): void {
  const show = look === 'plain' ? toast : toast.success
  show(text, { ...(undo && { duration, action: undoAction(undo) }), ...options })
}

export function undoAction(undo: Undo) {
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

/** Browsers report this as an error, although the layout settles in the next frame. */
const ignoredErrors = /^ResizeObserver loop/

export function reportUncaughtErrors(): void {
  let last = { message: '', at: 0 }
  const report = (error: unknown, message: string) => {
    // Cancelled work (a closed view, a disposed editor) rejects with one of these names.
    const isCancelled = error instanceof Error && (error.name === 'AbortError' || error.name === 'Canceled')
    if (ignoredErrors.test(message) || isCancelled) return
    const at = Date.now()
    if (message === last.message && at - last.at < repeatMs) return
    last = { message, at }
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
