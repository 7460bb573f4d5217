import { expect, it } from 'vitest'
import { repetitionIn } from '../../../src/main/llm/middleware/retry.ts'

it.each(['tea ', 'I am happy to help you with that. ', '好的，', 'a'])('finds the repetition of %j', (unit) => {
  const times = Math.ceil(700 / unit.length)
  const found = repetitionIn(`Here it is: ${unit.repeat(times)}`)
  expect(found?.unit).toBe(unit.length)
  expect(found?.length).toBeGreaterThanOrEqual(700)
})

it('leaves tables, rules, code and lists', () => {
  expect(repetitionIn(`| a | b |\n|${'-'.repeat(400)}|${'-'.repeat(400)}|`)).toBeUndefined()
  expect(repetitionIn('| yes | no |\n'.repeat(30))).toBeUndefined()
  expect(repetitionIn(Array.from({ length: 200 }, (_, row) => `- item ${row}`).join('\n'))).toBeUndefined()
  expect(repetitionIn('    }\n'.repeat(11))).toBeUndefined()
})
