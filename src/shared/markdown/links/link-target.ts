export interface LinkTarget {
  /** Decoded; empty if the link refers to its own note. */
  readonly target: string
  /** Decoded text after `#`: `Heading`, `Heading#Below`, `^block`. */
  readonly fragment?: string | undefined
}

/** Splits at the first `#`; does not decode. */
export function splitTarget(written: string): LinkTarget {
  const hash = written.indexOf('#')
  return hash < 0 ? { target: written } : { target: written.slice(0, hash), fragment: written.slice(hash + 1) }
}

export function formatTarget({ target, fragment }: LinkTarget): string {
  return fragment === undefined ? target : `${target}#${fragment}`
}
