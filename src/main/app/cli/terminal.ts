/** Controls but tab and line feed, line and paragraph separators, and what steers the direction of writing. */
const commands = /(?![\t\n])[\p{Cc}\u2028-\u202e\u2066-\u2069]/gu

/** The text with nothing in it that a terminal obeys; as JSON it stays the same value. */
export function harmless(text: string): string {
  return text
    .replaceAll('\r\n', '\n')
    .replace(commands, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/** A reader that has seen enough (`| head`) is no failure. Anything else that goes wrong with the output is. */
export function tolerateClosedOutput(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE' && error.code !== 'ERR_STREAM_DESTROYED') process.exitCode = 1
    })
  }
}

/** Until it is ended, what nobody caught ends the command, with one line and without a stack. */
export function exitOnUncaught(tell: (error: unknown) => number): () => void {
  const exit = (error: unknown) => process.exit(tell(error))
  process.on('uncaughtException', exit)
  return () => process.off('uncaughtException', exit)
}
