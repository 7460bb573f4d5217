/** Deliberate breaks of the source, each with the tests that ought to notice it; `mutations.ts` tries them out. */
import type { Mutation } from './mutation.ts'
import { integrationMutations } from './mutations-integration.ts'
import { unitMutations } from './mutations-unit.ts'

export const mutations: readonly Mutation[] = [
  ...unitMutations.map((one) => ({ ...one, project: 'unit' as const })),
  ...integrationMutations.map((one) => ({ ...one, project: 'integration' as const })),
]
