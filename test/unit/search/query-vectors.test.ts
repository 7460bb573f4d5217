/** Waiting for an embedding provider: time limits, late answers, and aborts. */
import { describe, expect, it } from 'vitest'
import type { EmbeddingProvider } from '../../../src/main/search/embeddings/embedding-provider.ts'
import type { ProviderOutcome } from '../../../src/main/search/embeddings/provider-health.ts'
import { QueryEmbedder } from '../../../src/main/search/vector/query-embedder.ts'
import { until } from '../../support/folder.ts'

const vector = Float32Array.from([1, 0])

/** A provider that answers when `answer` is called, or fails when aborted. */
function openProvider() {
  const asked: { text: string; answer: () => void; signal: AbortSignal | undefined }[] = []
  const provider: EmbeddingProvider = {
    provider: 'test',
    model: 'm',
    dimensions: 2,
    batchSize: 1,
    embed: ([text = ''], signal) =>
      new Promise((resolve, reject) => {
        signal?.addEventListener('abort', () => reject(signal.reason as Error))
        asked.push({ text, answer: () => resolve([vector]), signal })
      }),
  }
  return { provider, asked }
}

describe('QueryEmbedder', () => {
  it('stops waiting after the allowed time, and reports a failure on timeout', async () => {
    const { provider, asked } = openProvider()
    const outcomes: ProviderOutcome[] = []
    const vectors = new QueryEmbedder(provider, false, (outcome) => outcomes.push(outcome), 1000)
    vectors.permit = { waitMs: 20 }
    const { vector: found, notice } = await vectors.embed('walrus', 2, { isPrivate: false })
    expect(found).toBeUndefined()
    expect(notice?.code).toBe('provider_late')
    expect(outcomes).toEqual([{ kind: 'late' }])
    await until(() => outcomes.length === 2)
    expect(outcomes[1]).toMatchObject({ kind: 'failed', code: 'provider_timeout' })
    expect(asked).toHaveLength(1)
  })

  it('uses a late answer for the next search and sends one request only', async () => {
    const { provider, asked } = openProvider()
    const vectors = new QueryEmbedder(provider, false, () => undefined)
    vectors.permit = { waitMs: 10 }
    expect((await vectors.embed('walrus', 2, { isPrivate: false })).notice?.code).toBe('provider_late')
    asked[0]?.answer()
    await until(async () => (await vectors.embed('walrus', 2, { maxWaitMs: 0, isPrivate: false })).vector !== undefined)
    expect(await vectors.embed('walrus', 2, { maxWaitMs: 0, isPrivate: false })).toEqual({ vector, notice: null })
    expect(asked).toHaveLength(1)
  })

  it('aborts a request only when all searches that wait for it are aborted', async () => {
    const { provider, asked } = openProvider()
    const outcomes: ProviderOutcome[] = []
    const vectors = new QueryEmbedder(provider, false, (outcome) => outcomes.push(outcome))
    vectors.permit = { waitMs: 5000 }
    const [one, other] = [new AbortController(), new AbortController()]
    const first = vectors.embed('walrus', 2, { isPrivate: false }, one.signal)
    const second = vectors.embed('walrus', 2, { isPrivate: false }, other.signal)
    one.abort()
    await expect(first).rejects.toThrow(/abort/i)
    expect(asked.map(({ signal }) => signal?.aborted)).toEqual([false])
    other.abort()
    await expect(second).rejects.toThrow(/abort/i)
    expect(asked.map(({ signal }) => signal?.aborted)).toEqual([true])
    // An aborted request must not affect the health of the provider.
    expect(outcomes).toEqual([])
  })
})
