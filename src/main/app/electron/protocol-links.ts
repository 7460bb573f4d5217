/** `commonplace://remember?text=…`: another program hands over a note. It is shown, and kept when the user says so. */
const maxCharacters = 10_000

/** The note of a link; undefined for anything else. */
export function noteOfLink(link: string): string | undefined {
  if (!URL.canParse(link)) return undefined
  const { protocol, host, searchParams } = new URL(link)
  if (protocol !== 'commonplace:' || host !== 'remember') return undefined
  const text = searchParams.get('text')?.trim().slice(0, maxCharacters).toWellFormed()
  return text === '' ? undefined : text
}

/** The note of the first link on a command line: how Windows and Linux hand links over. */
export function noteOfArguments(argv: readonly string[]): string | undefined {
  for (const argument of argv) {
    const note = noteOfLink(argument)
    if (note !== undefined) return note
  }
  return undefined
}
