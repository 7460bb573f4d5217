import { describe, expect, it } from 'vitest'
import { chatModelNames } from '../../../src/main/llm/catalog/catalog.ts'

const namesOf = (names: readonly string[]) => chatModelNames(names.map((name) => ({ name })))

describe('suggested model', () => {
  it.each([
    [
      'Anthropic',
      'claude-sonnet-4-5-20250929',
      [
        'claude-haiku-4-5-20251001',
        'claude-opus-4-5-20251101',
        'claude-sonnet-4-20250514',
        'claude-3-7-sonnet-20250219',
      ],
    ],
    ['OpenAI', 'gpt-5.1', ['gpt-4.1', 'gpt-4o', 'gpt-5', 'gpt-5-pro', 'gpt-5.1-chat-latest', 'o3', 'gpt-3.5-turbo']],
    ['Ollama', 'qwen3:8b', ['gemma3:1b', 'llama3.2-vision:11b', 'llama3.3:70b', 'qwen2.5-coder:14b', 'qwen3:0.6b']],
  ])('of %s is %s', (_, best, others) => {
    expect(namesOf([...others, best])[0]).toBe(best)
    expect(namesOf([best, ...others])[0]).toBe(best)
  })

  it('is never one without chat', () => {
    const names = [
      'text-embedding-3-small',
      'nomic-embed-text:latest',
      'whisper-1',
      'dall-e-3',
      'gpt-image-1',
      'gpt-4o-realtime-preview',
      'omni-moderation-latest',
      'sora-2',
      'gpt-3.5-turbo-instruct',
    ]
    expect(namesOf(names)).toEqual([])
    const chat = [
      'gpt-4o',
      'claude-sonnet-4-5',
      'llama3.1:8b-instruct-q4_0',
      'gemma3:4b',
      'Meta-Llama-3-8B-Instruct.gguf',
    ]
    expect(namesOf(chat).toSorted()).toEqual(chat.toSorted())
  })
})
