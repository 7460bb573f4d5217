/** Limit for a note in `commonplace://remember?text=…`, in UTF-16 code units; the rest is cut off. */
const maxCharacters = 10_000

/** Returns the note of a link; undefined for other links and empty notes. */
export function noteOfLink(link: string): string | undefined {
  if (!URL.canParse(link)) return undefined
  const { protocol, host, searchParams } = new URL(link)
  if (protocol !== 'commonplace:' || host !== 'remember') return undefined
  const text = searchParams.get('text')?.trim().slice(0, maxCharacters).toWellFormed()
  return text === '' ? undefined : text
}

/** Returns the note of the first link in the arguments, as Windows and Linux pass it; undefined without a link. */
export function noteOfArguments(argv: readonly string[]): string | undefined {
  for (const argument of argv) {
    const note = noteOfLink(argument)
    if (note !== undefined) return note
  }
  return undefined
}
