import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { AssistantMessage } from '../../../src/shared/chat/messages.ts'
import { ThinkTags, tidyAnswer } from '../../../src/main/llm/providers/openai/chat-reasoning.ts'

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
    ['<thinking>a</thinking>b', 'a', 'b'],
    ['<think>a</think>\n\n<think>b</think> c', 'ab', 'c'],
    ['[THINK]a[/THINK]b', 'a', 'b'],
    ['<seed:think>a</seed:think>b', 'a', 'b'],
    ['◁think▷a◁/think▷b', 'a', 'b'],
    ['<|channel|>analysis<|message|>a<|end|><|start|>assistant<|channel|>final<|message|>b', 'a', 'b'],
    ['<|channel|>final<|message|>b', '', 'b'],
  ])('splits %j', (answer, thinking, text) => {
    for (const size of [1, 3, answer.length]) {
      const pieces = Array.from({ length: Math.ceil(answer.length / size) }, (_, at) =>
        answer.slice(at * size, (at + 1) * size),
      )
      expect(read(pieces)).toEqual({ thinking, text })
    }
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

it.each([
  ['First I look.\n</think>\n\nIt is 7.', ['First I look.', 'It is 7.']],
  ['First I look.</think>It is 7.', ['First I look.', 'It is 7.']],
  ['Part A.\n<think>I look.</think>\nPart B.', ['I look.', 'Part A.\nPart B.']],
  ['It is 7.<|im_end|>', ['It is 7.']],
  ['It is 7.</s>\n<|eot_id|>', ['It is 7.']],
  ['The mark </think> ends thinking.', ['The mark </think> ends thinking.']],
  ['`<think>`\nand\n</think>\n', ['`<think>`\nand\n</think>\n']],
])('a complete answer %j is split into thinking and text', (text, parts) => {
  const content: AssistantMessage['content'] = [{ type: 'text', text }]
  tidyAnswer(content)
  expect(content.map((part) => (part.type === 'thinking' ? part.thinking : part.type === 'text' && part.text))).toEqual(
    parts,
  )
})
