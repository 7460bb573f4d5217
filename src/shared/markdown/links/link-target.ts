export interface LinkTarget {
  /** Decoded; empty for the note itself. */
  readonly target: string
  /** What follows `#`, decoded: `Heading`, `Heading#Below`, `^block`. */
  readonly fragment?: string | undefined
}

/** At the first `#`, as it is written. */
export function splitTarget(written: string): LinkTarget {
  const hash = written.indexOf('#')
  return hash < 0 ? { target: written } : { target: written.slice(0, hash), fragment: written.slice(hash + 1) }
}

/** For reading. */
export function wholeTarget({ target, fragment }: LinkTarget): string {
  return fragment === undefined ? target : `${target}#${fragment}`
}
