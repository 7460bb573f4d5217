import { MutationCache } from '@tanstack/react-query'
import { tellFailure } from './toast.ts'

declare module '@tanstack/react-query' {
  interface Register {
    /** `isToldInPlace`: the component shows the failure itself, so there is no toast. */
    mutationMeta: { readonly isToldInPlace?: boolean }
  }
}

export function createMutationCache(): MutationCache {
  return new MutationCache({
    onError: (error, _input, _result, { meta }) => {
      if (!meta?.isToldInPlace) tellFailure(error)
    },
  })
}
