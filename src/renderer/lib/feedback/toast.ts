import { ORPCError } from '@orpc/client'
import i18next from 'i18next'
import type { ConfigFault } from '#shared/contract/index.ts'
import { errorCodes, type ErrorCode } from '#shared/util/errors.ts'
import { toast, type ExternalToast } from 'sonner'
import { MutationCache } from '@tanstack/react-query'

/** Returns a sentence for the user. Treats any error outside the contract as a lost connection. */
export function explainError(error: unknown): string {
  if (error instanceof ORPCError && isErrorCode(error.code))
    return explainCode(error.code, { reason: error.message, ...(error.data as object) })
  return i18next.t('error.unreachable')
}

/** An unknown code becomes an internal error with the code as reference. */
export function explainCode(code: string, data: Record<string, unknown>): string {
  if (code === 'step_limit') return i18next.t('error.step_limit')
  if (code === 'config_invalid') return i18next.t('error.config_invalid', { reason: configReason(data) })
  if (code === 'tool_repeats' && (data['what'] === 'same' || data['what'] === 'row'))
    return i18next.t(`error.tool_repeats_${data['what']}`, data)
  const folderFault = `folderFault.${String(data['fault'])}` as 'folderFault.disk'
  if (code === 'folder_unusable' && i18next.exists(folderFault))
    return i18next.t('error.folder_unusable', { ...data, reason: i18next.t(folderFault) })
  if (code === 'input_invalid' && data['fault'] === 'relative')
    return i18next.t('error.path_relative', { path: String(data['path']) })
  if (code === 'input_invalid' && data['reason'] === invalidUrlMessage)
    return i18next.t('error.input_invalid', { reason: i18next.t('configFault.address') })
  if (code === 'undo_conflict' && data['path'] === '') return i18next.t('error.undo_gone')
  if (code === 'undo_conflict' && typeof data['line'] === 'number')
    return i18next.t('error.undo_conflict_line', { path: String(data['path']), line: data['line'] })
  if (code === 'unknown_model' && data['models']) return i18next.t('error.unknown_model_listed', data)
  if (code === 'file_not_text' && data['holdsNul'] === true) return i18next.t('error.file_not_text_nul', data)
  if (!isErrorCode(code)) return i18next.t('error.internal', { reference: code })
  return String(i18next.t(`error.${code}` as 'error.internal', data as { reference: string }))
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

const invalidUrlMessage = 'Invalid URL'

function configReason({ key, fault, allowed, reason }: Record<string, unknown>): string {
  const explanation = explainFault({ message: String(reason), fault, allowed })
  return fault === undefined || key === ''
    ? explanation
    : i18next.t('common.pair', { name: String(key), value: explanation })
}

/** Explains an invalid configuration value. Falls back to the English message if there is no translation. */
export function explainFault({ message, fault, allowed }: { message: string; fault?: unknown; allowed?: unknown }) {
  if (fault === undefined) return message
  return i18next.t(`configFault.${String(fault) as ConfigFault}`, { allowed: String(allowed) })
}

export function isErrorOf(error: unknown, code: ErrorCode): boolean {
  return error instanceof ORPCError && error.code === code
}

function isErrorCode(code: string): code is ErrorCode {
  return (errorCodes as readonly string[]).includes(code)
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
