/** Requests an answer or vectors from a server, and prints the outcome and the memory it took. */
import { createOpenAiEmbeddings } from '../../src/main/search/embeddings/openai-embeddings.ts'
import { createAnthropicModel, createOpenAiModel } from './provider-models.ts'
import { withAnswerLimits } from '../../src/main/llm/middleware/retry.ts'

const [what = '', provider = '', url = ''] = process.argv.slice(2)
const options = { apiKey: 'k', baseUrl: url, timeoutMs: 60_000, fetch }
const { signal } = new AbortController()

async function answer(): Promise<object> {
  const model = withAnswerLimits(
    provider === 'anthropic'
      ? createAnthropicModel('test-model', options)
      : createOpenAiModel(provider === 'openai' ? 'openai' : 'openai-compatible', 'test-model', options),
  )
  const request = {
    purpose: { kind: 'title' as const },
    system: [],
    messages: [{ role: 'user' as const, content: 'x', timestamp: 0 }],
    tools: [],
    maxOutput: 9,
  }
  let characters = 0
  try {
    for await (const event of model.stream(request, signal)) {
      if (event.type === 'text') characters += event.delta.length
      if (event.type !== 'done') continue
      const calls = event.message.content.filter((part) => part.type === 'toolCall')
      return { characters, calls: calls.length, first: calls[0]?.arguments }
    }
  } catch (error) {
    return { characters, code: codeOf(error) }
  }
  return { characters }
}

async function vectors(): Promise<object> {
  const embeddings = createOpenAiEmbeddings({
    ...options,
    provider: 'openai-compatible',
    model: 'm',
    batchSize: 1,
    fetchFor: () => options.fetch,
  })
  try {
    return { vectors: (await embeddings.embed(['x'])).length }
  } catch (error) {
    return { code: codeOf(error) }
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : String(error)
}

const outcome = await (what === 'answer' ? answer() : vectors())
const megabytes = Math.round(process.resourceUsage().maxRSS / 1024)
process.stdout.write(`${JSON.stringify({ ...outcome, megabytes })}\n`)
process.exit()
