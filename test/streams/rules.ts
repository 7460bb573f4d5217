/**
 * Requirements of each provider for the next request of a conversation, from its documentation and its errors: calls
 * and results in order, and the turn's thinking in the format in which it came, unchanged if it is signed.
 */
import { parseJson } from '../../src/shared/util/json.ts'
import { asList, asRecord, asText, dataOf, type Recording, type Wire } from './recording.ts'

type Fields = Record<string, unknown>

export interface Played {
  readonly recording: Recording
  /** Number of the answer's calls that are executed. */
  readonly calls: number
}

/**
 * Checks a request.
 * @param body the next request
 * @param played the answers so far in order, each in a turn with tools if it has calls
 * @returns the violations, one line each
 */
export function check(wire: Wire, body: Fields, played: readonly Played[]): string[] {
  return checks[wire](body, played)
}

const checks: Record<Wire, (body: Fields, played: readonly Played[]) => string[]> = {
  anthropic: checkMessages,
  chat: checkChat,
  responses: checkResponses,
}

const same = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other)

/** Extra fields that each server accepts in answers; other servers' fields are refused. */
const thoughtFields = [
  'reasoning_content',
  'reasoning',
  'reasoning_text',
  'reasoning_details',
  'thinking_blocks',
] as const

function checkChat(body: Fields, played: readonly Played[]): string[] {
  const problems: string[] = []
  const messages = asList(body['messages']).map(asRecord)
  let open: string[] = []
  for (const [index, message] of messages.entries()) {
    const at = `messages[${index}]`
    const role = asText(message['role'])
    if (role !== 'tool' && open.length > 0) problems.push(`${at}: calls without a result: ${open.join(', ')}`)
    if (role === 'tool') {
      if (!open.includes(asText(message['tool_call_id']))) problems.push(`${at}: a result without a call`)
      open = open.filter((id) => id !== message['tool_call_id'])
      if (typeof message['content'] !== 'string') problems.push(`${at}: a result is not text`)
    } else if (role === 'assistant') {
      const calls = asList(message['tool_calls']).map(asRecord)
      open = calls.map((call) => asText(call['id']))
      if (new Set(open).size < open.length) problems.push(`${at}: two calls with one id`)
      for (const call of calls)
        if (typeof parseJson(asText(asRecord(call['function'])['arguments'])) !== 'object')
          problems.push(`${at}: arguments are not a JSON object`)
      const { content } = message
      const isEmpty = content === null || content === '' || content === undefined
      if (isEmpty && calls.length === 0) problems.push(`${at}: empty`)
      if (asText(content).includes('[object Object]')) problems.push(`${at}: [object Object]`)
    } else if (role !== 'user' && (role !== 'system' || index > 0)) problems.push(`${at}: role ${role}`)
  }
  if (open.length > 0) problems.push(`calls without a result at the end: ${open.join(', ')}`)
  if (!['user', 'tool'].includes(asText(messages.at(-1)?.['role'])))
    problems.push('the last message is not from the user')
  problems.push(...checkThoughts(messages, played))
  return problems
}

/** Compares the answers with calls to their messages in the request. */
function checkThoughts(messages: readonly Fields[], played: readonly Played[]): string[] {
  const problems: string[] = []
  const answers = messages.filter((message) => asList(message['tool_calls']).length > 0)
  const calling = played.filter(({ calls }) => calls > 0)
  if (answers.length !== calling.length) return [`${answers.length} answers with calls, ${calling.length} were given`]
  for (const [index, { recording }] of calling.entries()) {
    const came = cameOf(recording)
    const message = answers[index] ?? {}
    const isDetailed = 'reasoning_details' in came.fields || 'thinking_blocks' in came.fields
    for (const name of thoughtFields) {
      const isText = !name.includes('_details') && !name.includes('_blocks')
      const wanted = isText && isDetailed ? undefined : came.fields[name]
      if (!same(message[name], wanted))
        problems.push(
          `${recording.name}: ${name} is ${JSON.stringify(message[name])}, came as ${JSON.stringify(wanted)}`,
        )
    }
    const parts = asList(message['content']).map(asRecord)
    const thought = parts
      .flatMap((part) => asList(part['thinking']))
      .map((part) => asText(asRecord(part)['text']))
      .join('')
    if (thought !== came.inContent)
      problems.push(`${recording.name}: thinking in the content is ${JSON.stringify(thought)}`)
    const tagged = /^<think>([\s\S]*)<\/think>/.exec(asText(message['content']))?.[1]?.trim()
    if (tagged !== came.inTags) problems.push(`${recording.name}: tagged thinking is ${JSON.stringify(tagged)}`)
    const extras = asList(message['tool_calls']).map((call) => asRecord(call)['extra_content'])
    if (!same(extras, came.calls)) problems.push(`${recording.name}: call signatures are ${JSON.stringify(extras)}`)
  }
  return problems
}

interface Came {
  readonly fields: Fields
  readonly inContent: string
  readonly inTags: string | undefined
  /** Extra fields of each call. */
  readonly calls: readonly unknown[]
}

/** Assembles the thinking of a recording by the servers' documented rules: pieces of one text are joined. */
function cameOf({ events }: Recording): Came {
  const fields: Fields = {}
  const calls: unknown[] = []
  let inContent = ''
  let text = ''
  for (const chunk of dataOf(events).sent) {
    const delta = asRecord(asRecord(asList(chunk['choices'])[0])['delta'])
    for (const name of thoughtFields) {
      if (typeof delta[name] === 'string') fields[name] = asText(fields[name]) + delta[name]
      for (const detail of asList(delta[name]).map(asRecord))
        fields[name] = withDetail(asList(fields[name]).map(asRecord), detail)
    }
    text += asText(delta['content'])
    for (const part of asList(delta['content']).map(asRecord))
      for (const thought of asList(part['thinking'])) inContent += asText(asRecord(thought)['text'])
    for (const call of asList(delta['tool_calls']).map(asRecord))
      if (asText(asRecord(call['function'])['name']) !== '') calls.push(call['extra_content'])
  }
  return { fields, inContent, inTags: /^\s*<think>([\s\S]*)<\/think>/.exec(text)?.[1]?.trim(), calls }
}

function withDetail(details: Fields[], next: Fields): Fields[] {
  const last = details.findLast((one) => one['type'] === next['type'] && one['index'] === next['index'])
  const isSealed = 'data' in next || asText(last?.['signature']) !== ''
  if (!last || isSealed) return [...details, next]
  for (const [name, value] of Object.entries(next)) {
    if (['text', 'summary', 'thinking'].includes(name) && typeof last[name] === 'string')
      last[name] = `${asText(last[name])}${asText(value)}`
    else if (value !== null) last[name] = value
  }
  return details
}

function checkMessages(body: Fields, played: readonly Played[]): string[] {
  const problems: string[] = []
  const messages = asList(body['messages']).map(asRecord)
  let open: string[] = []
  for (const [index, message] of messages.entries()) {
    const at = `messages[${index}]`
    if (message['role'] !== (index % 2 === 0 ? 'user' : 'assistant')) problems.push(`${at}: roles do not alternate`)
    const blocks = asList(message['content']).map(asRecord)
    if (blocks.length === 0 && asText(message['content']) === '') problems.push(`${at}: empty`)
    const results = blocks.filter(({ type }) => type === 'tool_result').map((block) => asText(block['tool_use_id']))
    if (!same(results, open)) problems.push(`${at}: results ${results.join(', ')} of calls ${open.join(', ')}`)
    if (blocks.slice(0, results.length).some(({ type }) => type !== 'tool_result'))
      problems.push(`${at}: results are not first`)
    if (blocks.some((block) => block['type'] === 'text' && asText(block['text']).trim() === ''))
      problems.push(`${at}: empty text`)
    open = blocks.filter(({ type }) => type === 'tool_use').map((block) => asText(block['id']))
    const isAsked = asRecord(body['thinking'])['type'] === 'enabled'
    if (isAsked && open.length > 0 && !asText(blocks[0]?.['type']).includes('thinking'))
      problems.push(`${at}: no thinking before the calls`)
  }
  if (open.length > 0) problems.push(`calls without a result at the end: ${open.join(', ')}`)
  const sent = messages.flatMap((message) =>
    message['role'] === 'assistant' ? asList(message['content']).map(asRecord) : [],
  )
  const wanted = played.flatMap(({ recording }) => signedBlocks(dataOf(recording.events).sent))
  const thoughts = sent.filter(({ type }) => type === 'thinking' || type === 'redacted_thinking')
  const plain = thoughts.map(({ type, thinking, signature, data }) => [type, thinking ?? '', signature ?? data])
  if (!same(plain, wanted)) problems.push(`thinking is ${JSON.stringify(plain)}, expected ${JSON.stringify(wanted)}`)
  return problems
}

function signedBlocks(sent: readonly Fields[]): [unknown, string, string][] {
  const blocks = new Map<unknown, [unknown, string, string]>()
  for (const event of sent) {
    const block = asRecord(event['content_block'])
    if (event['type'] === 'content_block_start' && /thinking/.test(asText(block['type'])))
      blocks.set(event['index'], [
        block['type'],
        asText(block['thinking']),
        asText(block['signature']) + asText(block['data']),
      ])
    const known = blocks.get(event['index'])
    const delta = asRecord(event['delta'])
    if (!known || event['type'] !== 'content_block_delta') continue
    known[1] += asText(delta['thinking'])
    known[2] += asText(delta['signature'])
  }
  return [...blocks.values()].filter(([, , signature]) => signature !== '')
}

function checkResponses(body: Fields, played: readonly Played[]): string[] {
  const problems: string[] = []
  const input = asList(body['input']).map(asRecord)
  const called = new Set<string>()
  const answered = new Set<string>()
  for (const [index, item] of input.entries()) {
    const type = asText(item['type']) || asText(item['role'])
    if (type === 'function_call') called.add(asText(item['call_id']))
    else if (type === 'function_call_output') {
      if (!called.has(asText(item['call_id']))) problems.push(`input[${index}]: a result without a call`)
      answered.add(asText(item['call_id']))
    } else if (type === 'reasoning') {
      const next = input[index + 1]
      const goesOn =
        next && (next['role'] === 'assistant' || ['function_call', 'reasoning'].includes(asText(next['type'])))
      if (!goesOn) problems.push(`input[${index}]: thinking without following output`)
    } else if (type !== 'user' && type !== 'assistant') problems.push(`input[${index}]: ${type}`)
  }
  for (const id of called) if (!answered.has(id)) problems.push(`${id}: a call without a result`)
  if (body['store'] !== false) problems.push('store is not false')
  const sealed = input.filter(({ type }) => type === 'reasoning').map((item) => item['encrypted_content'])
  const wanted = played.flatMap(({ recording }) => sealedThoughts(dataOf(recording.events).sent))
  if (!same(sealed, wanted))
    problems.push(`encrypted thinking is ${JSON.stringify(sealed)}, expected ${JSON.stringify(wanted)}`)
  return problems
}

/** Returns the encrypted thinking to send back; thinking without following output is refused. */
function sealedThoughts(sent: readonly Fields[]): unknown[] {
  const done = sent
    .filter(({ type }) => type === 'response.output_item.added')
    .map((event) => asText(asRecord(event['item'])['type']))
  const last = done.findLastIndex((type) => type === 'message' || type === 'function_call')
  const items = sent
    .filter(({ type }) => type === 'response.output_item.done')
    .map((event) => [event['output_index'], asRecord(event['item'])] as const)
  return items
    .filter(([place, item]) => item['type'] === 'reasoning' && item['encrypted_content'] && Number(place) < last)
    .sort(([one], [other]) => Number(one) - Number(other))
    .map(([, item]) => item['encrypted_content'])
}
