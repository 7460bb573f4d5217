import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ThinkTags } from '../../../src/main/llm/providers/openai/chat-reasoning.ts'

function read(pieces: readonly string[]) {
  const tags = new ThinkTags()
  const all = [...pieces.flatMap((piece) => tags.push(piece)), ...tags.end()]
  const of = (type: string) => all.flatMap((piece) => (piece.type === type ? [piece.delta] : [])).join('')
  return { text: of('text'), thinking: of('thinking') }
}

describe('ThinkTags', () => {
  it.each([
    ['<think>a</think>b', 'a', 'b'],
    ['text <think>stays</think>', '', 'text <think>stays</think>'],
    ['<think>never closed', 'never closed', ''],
  ])('splits %j', (answer, thinking, text) => {
    expect(read([answer])).toEqual({ thinking, text })
  })

  it('gives the same result for any chunking (property)', () => {
    const answer = '<think>\nSome </thoughts> here\n</think>\n\nThe answer <think>itself</think>.'
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 80, maxLength: 80 }), (lengths) => {
        const pieces: string[] = []
        let at = 0
        for (const length of lengths) {
          pieces.push(answer.slice(at, at + length))
          at += length
        }
        pieces.push(answer.slice(at))
        expect(read(pieces)).toEqual(read([answer]))
      }),
    )
  })
})
