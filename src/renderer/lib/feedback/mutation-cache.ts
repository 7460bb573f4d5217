import { MutationCache } from '@tanstack/react-query'
import { showError } from './toast.ts'

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
