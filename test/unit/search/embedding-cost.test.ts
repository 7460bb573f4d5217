import { expect, it } from 'vitest'
import { embeddingCost } from '../../../src/main/search/vector/embedding-cost.ts'
import { createUnitIndex } from '../../support/unit-index.ts'

const small = { provider: 'openai', model: 'small', isLocal: false }

function openIndex() {
  const index = createUnitIndex()
  index.put('a.md', '- The boiler is old\n- The roof leaks\n- A secret ^[local]\n')
  index.put('b.md', '- The roof leaks\n')
  index.put('sessions/one.jsonl', '- User: What leaks?\n', 'sessions')
  return index
}

it('counts each text once, and for a remote model neither private texts nor chats', async () => {
  const { db } = openIndex()
  const cost = await embeddingCost(db, small)
  expect(cost).toEqual({ all: { texts: 2, tokens: expect.any(Number) }, unsent: cost.all })
  expect((await embeddingCost(db, { ...small, isLocal: true })).all.texts).toBe(4)
})

it('leaves out texts with a vector of the model, by provider, address and dimensions', async () => {
  const { db, store } = openIndex()
  const [first] = store.textsToEmbed(0, 1)
  if (!first) throw new Error('no text')
  store.storeVectors('openai', 'small', [{ ...first, vector: Float32Array.of(0.6, 0.8) }])
  const unsent = async (model: Partial<Parameters<typeof embeddingCost>[1]>) =>
    (await embeddingCost(db, { ...small, ...model })).unsent.texts
  expect(await unsent({})).toBe(1)
  expect(await unsent({ dimensions: 2 })).toBe(1)
  expect(await unsent({ dimensions: 3 })).toBe(2)
  expect(await unsent({ model: 'large' })).toBe(2)
  expect(await unsent({ address: 'https://example.com/v1' })).toBe(2)
})

it('stops if aborted', async () => {
  const { db } = openIndex()
  await expect(embeddingCost(db, small, AbortSignal.abort(new Error('enough')))).rejects.toThrow('enough')
})
