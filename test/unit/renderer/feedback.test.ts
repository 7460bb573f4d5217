import { ORPCError } from '@orpc/client'
import { MutationObserver, QueryClient, type MutationObserverOptions } from '@tanstack/react-query'
import i18next from 'i18next'
import { toast, type ExternalToast } from 'sonner'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { createMutationCache, runWithErrorToast, showSuccess } from '../../../src/renderer/lib/feedback/toast.ts'
import en from '../../../src/shared/i18n/en.json' with { type: 'json' }

const failure = new ORPCError('file_changed', { data: { path: 'a.md' } })
const sentence = en.error.file_changed.replace('{{path}}', 'a.md')

beforeEach(async () => {
  await i18next.init({ lng: 'en', resources: { en: { translation: en } }, interpolation: { escapeValue: false } })
})

async function fails(options: Omit<MutationObserverOptions, 'mutationFn'>): Promise<unknown[][]> {
  const told = vi.spyOn(toast, 'error').mockReturnValue(0)
  const queries = new QueryClient({ mutationCache: createMutationCache() })
  const work = new MutationObserver(queries, { ...options, mutationFn: () => Promise.reject(failure) })
  await expect(work.mutate()).rejects.toBe(failure)
  return told.mock.calls
}

describe('error toasts', () => {
  it('shows a failed mutation, also if its component handles the error', async () => {
    const onError = vi.fn<() => void>()
    expect(await fails({ onError })).toEqual([[sentence, { id: sentence }]])
    expect(onError).toHaveBeenCalledOnce()
  })

  it('shows errors of work outside of components and returns undefined', async () => {
    const told = vi.spyOn(toast, 'error').mockReturnValue(0)
    expect(await runWithErrorToast(Promise.resolve(undefined))).toEqual({ value: undefined })
    expect(told).not.toHaveBeenCalled()
    expect(await runWithErrorToast(Promise.reject(failure))).toBeUndefined()
    expect(told.mock.calls).toEqual([[sentence, { id: sentence }]])
  })

  it('offers a failed undo again with the error until it succeeds', async () => {
    const told = vi.spyOn(toast, 'error').mockReturnValue(0)
    const done = vi.spyOn(toast, 'success').mockReturnValue(0)
    const undo = vi
      .fn(() => Promise.resolve())
      .mockRejectedValueOnce(failure)
      .mockRejectedValueOnce(failure)
    const press = (options: ExternalToast | undefined) => {
      const action = options?.action as { readonly label: string; readonly onClick: () => void }
      expect(action.label).toBe(en.common.undo)
      action.onClick()
    }
    showSuccess('Moved', undo)
    press(done.mock.calls[0]?.[1])
    await vi.waitFor(() => expect(told).toHaveBeenCalledTimes(1))
    press(told.mock.calls[0]?.[1])
    await vi.waitFor(() => expect(told).toHaveBeenCalledTimes(2))
    press(told.mock.calls[1]?.[1])
    await vi.waitFor(() => expect(undo).toHaveBeenCalledTimes(3))
    expect(told).toHaveBeenCalledTimes(2)
  })
})
