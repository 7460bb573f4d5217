/** Lines that are no message of the protocol: they are answered, and what comes after them is read as ever. Pure. */

/** JSON-RPC's codes. */
const parseError = -32_700
const invalidRequest = -32_600

export interface MalformedAnswer {
  readonly jsonrpc: '2.0'
  readonly id: string | number | null
  readonly error: { readonly code: number; readonly message: string }
}

/** What a line without its break is answered with that cannot be understood; undefined for a message, or nothing at all. */
export function answerToMalformed(line: string): MalformedAnswer | undefined {
  if (line.trim() === '') return undefined
  let message: unknown
  try {
    message = JSON.parse(line)
  } catch {
    return answer(null, parseError, 'Parse error: this line is no JSON')
  }
  if (typeof message !== 'object' || message === null || Array.isArray(message))
    return answer(null, invalidRequest, 'Invalid request: a message is one JSON object a line; there are no batches')
  const { jsonrpc, id, method } = message as Record<string, unknown>
  const isAnswer = 'result' in message || 'error' in message
  if (jsonrpc === '2.0' && (typeof method === 'string' || isAnswer)) return undefined
  const known = typeof id === 'string' || typeof id === 'number' ? id : null
  return answer(known, invalidRequest, 'Invalid request: a message has "jsonrpc": "2.0" and a method')
}

function answer(id: MalformedAnswer['id'], code: number, message: string): MalformedAnswer {
  return { jsonrpc: '2.0', id, error: { code, message } }
}

/** Cuts what comes in into lines. @param mostBytes of a line that is looked at */
export class Lines {
  readonly #mostBytes: number
  readonly #each: (line: string) => void
  #begun: Buffer[] = []
  #length = 0

  constructor(mostBytes: number, each: (line: string) => void) {
    this.#mostBytes = mostBytes
    this.#each = each
  }

  add(chunk: Buffer): void {
    let from = 0
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, from)) {
      this.#keep(chunk.subarray(from, at))
      this.end()
      from = at + 1
    }
    this.#keep(chunk.subarray(from))
  }

  /** The last line may lack its break. */
  end(): void {
    if (this.#length <= this.#mostBytes) this.#each(Buffer.concat(this.#begun).toString('utf8'))
    this.#begun = []
    this.#length = 0
  }

  #keep(part: Buffer): void {
    this.#length += part.length
    if (this.#length > this.#mostBytes) this.#begun = []
    else this.#begun.push(part)
  }
}
