import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { formatArgumentErrors, describeArgumentErrors } from '../../../src/main/agent/tools/execute-tools.ts'

const schema = z.strictObject({
  path: z.string(),
  from: z.number().int().min(1).max(9).optional(),
  mode: z.enum(['add', 'replace']).optional(),
  tags: z.array(z.string().min(2)).optional(),
  when: z.iso.date().optional(),
})

describe('descriptions of invalid arguments', () => {
  it.each<[unknown, string]>([
    [{}, 'path is missing: it must be a string.'],
    [{ path: 3 }, 'path must be a string.'],
    [{ path: 'a', from: 0 }, 'from is too small or too short: at least 1.'],
    [{ path: 'a', mode: 'x' }, 'mode must be one of add, replace.'],
    [{ path: 'a', file: 'b' }, 'file is not a parameter of this tool.'],
  ])('%j: %s', (sent, sentences) => {
    const { error } = schema.safeParse(sent)
    expect(error && formatArgumentErrors(describeArgumentErrors(error, sent))).toBe(sentences)
  })

  it('describes only the first of ten thousand problems', () => {
    const sent = { path: 'a', tags: Array.from({ length: 10_000 }, () => 1) }
    const { error } = schema.safeParse(sent)
    expect(error && describeArgumentErrors(error, sent)).toHaveLength(10)
  })
})
