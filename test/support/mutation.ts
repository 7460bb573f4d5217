/** A deliberate break of the source, and the test that ought to notice it. */

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
