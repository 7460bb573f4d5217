/** Deliberate breaks of the source, each with the tests that ought to notice it; `mutations.ts` tries them out. */
import { integrationMutations } from './mutations-integration.ts'
import { unitMutations } from './mutations-unit.ts'

export interface Break {
  /** Below `src/`. */
  readonly file: string
  /** Stands exactly once in the file. */
  readonly text: string
  readonly instead: string
  /** What a user would lose. */
  readonly why: string
  /** The test file, below `test/<project>/`, without `.test.ts`. */
  readonly test: string
  /** Part of the names of the tests that are run; all of the file without it. */
  readonly only?: string
}

export interface Mutation extends Break {
  readonly project: 'unit' | 'integration'
}

export const mutations: readonly Mutation[] = [
  ...unitMutations.map((one) => ({ ...one, project: 'unit' as const })),
  ...integrationMutations.map((one) => ({ ...one, project: 'integration' as const })),
]
