/** Eight ways in which the bytes of a stream can arrive, and two encodings of its text. */
import { randomOf } from '../support/random.ts'

export interface Chopping {
  readonly name: string
  readonly pieces: (events: readonly string[]) => Uint8Array[]
}

const bytesOf = (text: string) => new TextEncoder().encode(text)
const inPieces = (bytes: Uint8Array, next: () => number): Uint8Array[] => {
  const pieces: Uint8Array[] = []
  for (let from = 0; from < bytes.length;) {
    const size = next()
    pieces.push(bytes.subarray(from, from + size))
    from += size
  }
  return pieces
}

export const choppings: readonly Chopping[] = [
  { name: 'in one piece', pieces: (events) => [bytesOf(events.join(''))] },
  { name: 'event by event', pieces: (events) => events.map(bytesOf) },
  {
    name: 'line by line',
    pieces: (events) =>
      events
        .join('')
        .split(/(?<=\n)/)
        .map(bytesOf),
  },
  { name: 'byte by byte', pieces: (events) => inPieces(bytesOf(events.join('')), () => 1) },
  { name: 'three bytes at a time', pieces: (events) => inPieces(bytesOf(events.join('')), () => 3) },
  {
    name: 'in pieces of any size',
    pieces(events) {
      const next = randomOf(7)
      return inPieces(bytesOf(events.join('')), () => 1 + Math.floor(next() * 900))
    },
  },
  {
    name: 'with CRLF, cut between the two',
    pieces: (events) =>
      events
        .join('')
        .replaceAll('\n', '\r\n')
        .split(/(?<=\r)/)
        .map(bytesOf),
  },
  {
    name: 'with comments between',
    // A server that does not stream may send whitespace first, to keep the connection open.
    pieces: (events) =>
      events.flatMap((event) => [bytesOf(event.startsWith('{') ? '\n\n' : ': still here\n\n'), bytesOf(event)]),
  },
]
