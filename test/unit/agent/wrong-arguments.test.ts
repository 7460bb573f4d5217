import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { describeArgumentErrors } from '../../../src/main/agent/tools/execute-tools.ts'

const schema = z.strictObject({
  path: z.string(),
  from: z.number().int().min(1).max(9).optional(),
  mode: z.enum(['add', 'replace']).optional(),
  tags: z.array(z.string().min(2)).optional(),
  when: z.iso.date().optional(),
})

describe('descriptions of invalid arguments', () => {
  it.each<[unknown, string]>([
    [{}, 'path missing string'],
    [{ path: 3 }, 'path type string'],
    [{ path: 'a', from: 0 }, 'from tooSmall 1'],
    [{ path: 'a', mode: 'x' }, 'mode choice add, replace'],
    [{ path: 'a', file: 'b' }, 'file unknown '],
  ])('%j: %s', (sent, problem) => {
    const { error } = schema.safeParse(sent)
    const described = error && describeArgumentErrors(error, sent)
    expect(described?.map(({ field, fault, expected }) => `${field} ${fault} ${expected}`)).toEqual([problem])
  })

  it('describes only the first of ten thousand problems', () => {
    const sent = { path: 'a', tags: Array.from({ length: 10_000 }, () => 1) }
    const { error } = schema.safeParse(sent)
    expect(error && describeArgumentErrors(error, sent)).toHaveLength(10)
  })
})
