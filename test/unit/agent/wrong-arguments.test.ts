import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { inSentences, wrongArguments } from '../../../src/main/agent/tools/execute-tools.ts'

const schema = z.strictObject({
  path: z.string(),
  from: z.number().int().min(1).max(9).optional(),
  mode: z.enum(['add', 'replace']).optional(),
  tags: z.array(z.string().min(2)).optional(),
  when: z.iso.date().optional(),
})

describe('arguments that are not right are told in plain sentences', () => {
  it.each<[unknown, string]>([
    [{}, 'path is missing: it has to be a text.'],
    [{ path: 3 }, 'path has to be a text.'],
    [{ path: null }, 'path has to be a text.'],
    [[], 'The whole has to be an object.'],
    [{ path: 'a', from: 0 }, 'from is too small or too short: at least 1.'],
    [{ path: 'a', from: 10 }, 'from is too large or too long: at most 9.'],
    [{ path: 'a', from: 1.5 }, 'from has to be a whole number.'],
    [{ path: 'a', mode: 'x' }, 'mode has to be one of add, replace.'],
    [{ path: 'a', tags: ['ok', 'x', 3] }, 'tags.1 is too small or too short: at least 2. tags.2 has to be a text.'],
    [{ path: 'a', when: 'soon' }, 'when is not as it has to be.'],
    [{ path: 'a', file: 'b' }, 'file is not known to this tool.'],
  ])('%j: %s', (sent, sentences) => {
    const { error } = schema.safeParse(sent)
    expect(error && inSentences(wrongArguments(error, sent))).toBe(sentences)
  })

  it('of ten thousand wrong entries the first are told', () => {
    const sent = { path: 'a', tags: Array.from({ length: 10_000 }, () => 1) }
    const { error } = schema.safeParse(sent)
    expect(error && wrongArguments(error, sent)).toHaveLength(10)
  })
})
