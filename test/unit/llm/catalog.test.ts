import { describe, expect, it } from 'vitest'
import { costOf, modelLimits, modelPrices, splitModelId } from '../../../src/main/llm/catalog/catalog.ts'

describe('model table', () => {
  it('gives an unknown model a small window; settings override every figure', () => {
    expect(modelLimits('openai-compatible/never-heard-of')).toEqual({
      contextWindow: 32_768,
      maxOutput: 4096,
      images: false,
    })
    expect(modelLimits('openai-compatible/tiny', { contextWindow: 8192, maxOutput: 8000 })).toEqual({
      contextWindow: 8192,
      maxOutput: 4096,
      images: false,
    })
    expect(splitModelId('openai-compatible/org/model:7b')).toEqual({
      provider: 'openai-compatible',
      model: 'org/model:7b',
    })
  })

  it('returns the cost of a usage, and undefined prices for an unknown model', () => {
    const prices = modelPrices('anthropic/claude-sonnet-4-5', undefined)
    expect(
      prices && costOf({ input: 1_000_000, output: 100_000, cacheRead: 1_000_000, cacheWrite: 0 }, prices),
    ).toBeCloseTo(3 + 1.5 + 0.3)
    expect(modelPrices('openai-compatible/x', undefined)).toBeUndefined()
  })

  it.each([
    ['anthropic/claude-sonnet-4-5', { cacheRead: 0.2, cacheWrite: 2.5 }],
    ['openai/gpt-4.1', { cacheRead: 0.5, cacheWrite: 0 }],
  ])('derives the cache prices of %s from its input price', (id, cache) => {
    const own = modelPrices(id, { input: 2, output: 8 })
    expect(own).toMatchObject({ input: 2, output: 8 })
    expect(own?.cacheRead).toBeCloseTo(cache.cacheRead)
    expect(own?.cacheWrite).toBeCloseTo(cache.cacheWrite)
    expect(modelPrices(id, undefined, { input: 2, output: 8 })).toEqual(own)
  })
})
