import { describe, expect, it } from 'vitest'
import { isRemoteEmbeddingProvider } from '../../../src/shared/util/providers.ts'
import { newEmbeddingRecipient, defaultEmbeddingModel } from '../../../src/renderer/settings/setting-rows.ts'

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
    ['a model in the process', remote, 'provider', 'local', undefined],
    ['no provider', remote, 'provider', 'none', undefined],
    ['permission to download a model', remote, 'allowDownload', true, undefined],
    ['a reset to the inherited value', off, 'provider', 'openai', { provider: 'openai', model: 'small' }],
    [
      'reset to the default address',
      { ...remote, 'memory.embedding.provider': 'openai' },
      'baseUrl',
      undefined,
      { provider: 'openai' },
    ],
    ['reset to inherited values', remote, 'provider', undefined, undefined],
  ])(' %s', (_name, before: Record<string, string>, name, value, expected) => {
    const sent = newEmbeddingRecipient(`memory.embedding.${name}`, value, (key) => before[key])
    if (expected) expect(sent).toMatchObject(expected)
    else expect(sent).toBeUndefined()
  })
})

describe('default model of a provider', () => {
  it.each([
    ['openai', 'text-embedding-3-small'],
    ['gemini', 'gemini-embedding-001'],
    ['openai-compatible', 'nomic-embed-text'],
    ['local', 'Xenova/multilingual-e5-small'],
    ['builtin', undefined],
    ['none', undefined],
  ])('%s: %s', (provider, expected) => {
    const inForce = (key: string) => (key === 'memory.embedding.provider' ? provider : undefined)
    expect(defaultEmbeddingModel('memory.embedding.model', inForce)).toBe(expected)
    expect(defaultEmbeddingModel('memory.embedding.baseUrl', inForce)).toBeUndefined()
    const sent = newEmbeddingRecipient('memory.embedding.baseUrl', 'http://localhost:3/v1', inForce)
    if (isRemoteEmbeddingProvider(provider)) expect(sent).toMatchObject({ provider, model: expected })
    else expect(sent).toBeUndefined()
  })
})
