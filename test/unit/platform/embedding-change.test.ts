import { describe, expect, it } from 'vitest'
import { isSentTexts } from '../../../src/shared/util/providers.ts'
import { modelSentTo, modelUnlessNamed } from '../../../src/renderer/settings/embedding-change.ts'

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
    ['what holds already', remote, 'model', 'small', undefined],
    ['a model while nobody is asked', off, 'model', 'large', undefined],
    ['a model in the process', remote, 'provider', 'local', undefined],
    ['nobody any more', remote, 'provider', 'none', undefined],
    ['that a model may be fetched', remote, 'allowDownload', true, undefined],
    ['back to one that is inherited', off, 'provider', 'openai', { provider: 'openai', model: 'small' }],
    [
      'reset to the default address',
      { ...remote, 'memory.embedding.provider': 'openai' },
      'baseUrl',
      undefined,
      { provider: 'openai' },
    ],
    ['reset to inherited values', remote, 'provider', undefined, undefined],
  ])(' %s', (_name, before: Record<string, string>, name, value, expected) => {
    const sent = modelSentTo(`memory.embedding.${name}`, value, (key) => before[key])
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
    expect(modelUnlessNamed('memory.embedding.model', inForce)).toBe(expected)
    expect(modelUnlessNamed('memory.embedding.baseUrl', inForce)).toBeUndefined()
    const sent = modelSentTo('memory.embedding.baseUrl', 'http://localhost:3/v1', inForce)
    if (isSentTexts(provider)) expect(sent).toMatchObject({ provider, model: expected })
    else expect(sent).toBeUndefined()
  })
})
