import { describe, expect, it } from 'vitest'
import { newEmbeddingRecipient } from '../../../src/renderer/settings/setting-rows.ts'

const off = { 'memory.embedding.provider': 'none', 'memory.embedding.model': 'small' }
const remote = {
  ...off,
  'memory.embedding.provider': 'openai-compatible',
  'memory.embedding.baseUrl': 'http://localhost:1/v1',
}

describe('confirmation before texts are sent to a provider', () => {
  it.each([
    ['another provider', off, 'provider', 'openai', { provider: 'openai', model: 'small' }],
    ['another model', remote, 'model', 'large', { provider: 'openai-compatible', model: 'large' }],
    ['another address', remote, 'baseUrl', 'http://localhost:2/v1', { baseUrl: 'http://localhost:2/v1' }],
    ['the current value', remote, 'model', 'small', undefined],
    ['a model without a provider', off, 'model', 'large', undefined],
    ['no provider', remote, 'provider', 'none', undefined],
    ['a reset to the inherited value', off, 'provider', 'openai', { provider: 'openai', model: 'small' }],
  ])(' %s', (_name, before: Record<string, string>, name, value, expected) => {
    const sent = newEmbeddingRecipient(`memory.embedding.${name}`, value, (key) => before[key])
    if (expected) expect(sent).toMatchObject(expected)
    else expect(sent).toBeUndefined()
  })
})
