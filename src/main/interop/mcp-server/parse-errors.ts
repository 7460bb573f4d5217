/** Lines that are no message of the protocol: they are answered, and what comes after them is read as ever. Pure. */
import { isJSONRPCNotification, isJSONRPCRequest } from '@modelcontextprotocol/server'
import type { LineEnds } from './line-reader.ts'

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
  if (jsonrpc === '2.0' && typeof method !== 'string' && isAnswer) return undefined
  if (isJSONRPCRequest(message) || isJSONRPCNotification(message)) return undefined
  const known = typeof id === 'string' || typeof id === 'number' ? id : null
  if (jsonrpc !== '2.0' || typeof method !== 'string')
    return answer(known, invalidRequest, 'Invalid request: a message has "jsonrpc": "2.0" and a method')
  return answer(
    known,
    invalidRequest,
    'Invalid request: params is an object or left out, id a string or a whole number',
  )
}

/** What a message is answered with that was too long to be read. @param ends its beginning and its end */
export function answerToTooLong({ head, tail }: LineEnds, mostBytes: number): MalformedAnswer {
  const megabytes = mostBytes / 1024 / 1024
  const message = `Invalid request: a message has more than the ${megabytes} MB that one may have; it was not read`
  return answer(idIn(head, tail), invalidRequest, message)
}

/** Where programs write the id: among the first or the last members of a message. Inside of `params` none is looked for. */
const member = String.raw`"(?:method|jsonrpc)"\s*:\s*"[^"\\]*"`
const id = String.raw`"id"\s*:\s*(-?\d{1,15}|"(?:[^"\\]|\\.)*")`
const idAhead = new RegExp(String.raw`^\s*\{\s*(?:${member}\s*,\s*)*${id}\s*,`)
const idBehind = new RegExp(String.raw`,\s*${id}\s*(?:,\s*${member}\s*)*\}\s*$`)

function idIn(head: string, tail: string): MalformedAnswer['id'] {
  const found = (idAhead.exec(head) ?? idBehind.exec(tail))?.[1]
  if (found === undefined) return null
  try {
    return JSON.parse(found) as string | number
  } catch {
    return null
  }
}

function answer(id: MalformedAnswer['id'], code: number, message: string): MalformedAnswer {
  return { jsonrpc: '2.0', id, error: { code, message } }
}
