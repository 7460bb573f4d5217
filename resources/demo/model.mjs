/**
 * The model of the demo's chats: a loopback server that speaks OpenAI's chat completions and answers with the texts of
 * the story. Its token counts are the app's estimates.
 */
import { once } from 'node:events'
import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { estimateTokens } from '../../src/shared/util/tokens.ts'

/** Words in the last message of requests for notes and summaries, with the part of the story that answers them. */
const purposes = [
  ['Memory flush.', 'flush'],
  ['Summarise the conversation below', 'compaction'],
  ['Write a summary of the ended conversation', 'summary'],
]

/**
 * @param onRequest called before each answer
 * @returns `url`: base URL; `script`: texts by purpose, and `answers`, each a text or a list of tool calls
 */
export async function startDemoModel({ models, onRequest }) {
  const script = { answers: [] }
  const server = createServer(async (request, response) => {
    response.setHeader('content-type', 'application/json')
    if (request.method === 'GET') return response.end(JSON.stringify({ data: models }))
    const body = await text(request)
    // Without OpenAI's newer interface, the app uses chat completions.
    if (!request.url.endsWith('/chat/completions')) {
      response.statusCode = 404
      return response.end('{"error":{"message":"not found"}}')
    }
    onRequest()
    const { messages, model } = JSON.parse(body)
    const last = JSON.stringify(messages.at(-1))
    const purpose = purposes.find(([words]) => last.includes(words))?.[1]
    const answer = purpose ? (script[purpose] ?? 'NO_REPLY') : (script.answers.shift() ?? '')
    response.setHeader('content-type', 'text/event-stream')
    for (const event of eventsOf(answer, estimateTokens(body), model)) response.write(`data: ${event}\n\n`)
    return response.end('data: [DONE]\n\n')
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address()
  return { url: `http://127.0.0.1:${port}/v1`, script, close: () => server.close().closeAllConnections() }
}

function eventsOf(answer, input, model) {
  const isText = typeof answer === 'string'
  const delta = isText
    ? { role: 'assistant', content: answer }
    : {
        role: 'assistant',
        tool_calls: answer.map(({ name, arguments: values }, index) => ({
          index,
          id: `call_${input}_${index}`,
          type: 'function',
          function: { name, arguments: JSON.stringify(values) },
        })),
      }
  const output = estimateTokens(JSON.stringify(answer))
  const usage = { prompt_tokens: input, completion_tokens: output, total_tokens: input + output }
  return [
    { model, choices: [{ index: 0, delta }] },
    { model, choices: [{ index: 0, delta: {}, finish_reason: isText ? 'stop' : 'tool_calls' }] },
    { model, choices: [], usage },
  ].map((event) => JSON.stringify(event))
}
