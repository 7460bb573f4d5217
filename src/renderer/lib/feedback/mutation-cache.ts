import { MutationCache } from '@tanstack/react-query'
import { tellFailure } from './toast.ts'

declare module '@tanstack/react-query' {
  interface Register {
    /** `isToldInPlace`: who asked for it shows its failure; it needs no toast. */
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
