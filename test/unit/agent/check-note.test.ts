import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { checkNote } from '../../../src/main/agent/compaction/replies.ts'

const conversation =
  'We moved the launch to 12 May because Priya is on leave.\nGood, I will tell the printer.\nThe budget is 4,200 euros.'
const instructions = readFileSync(new URL('../../../resources/prompts/flush.md', import.meta.url), 'utf8')

it.each(['The launch moved to 12 May, as Priya is on leave', 'Tell the printer about 12 May'])('keeps %j', (note) =>
  expect(checkNote(note, conversation, instructions)).toBe('good'),
)

it.each([
  'Keep names, paths, addresses, numbers and dates exactly as they are.',
  'notes notes notes notes notes notes notes notes notes notes notes notes notes',
  'The company was founded in Ohio and sells industrial machines',
  'Here is a summary of the conversation: the launch moved to 12 May',
])('refuses %j', (note) => expect(checkNote(note, conversation, instructions)).toBe('bad'))

it.each([
  '发布改到五月十二日，因为同事请假',
  'The launch moved to 12 May because Priya is on leave until the end of the month, says the printer. Keep names, paths, addresses, numbers and dates exactly as they are.',
  'User: We moved the launch to 12 May\n\nAssistant: Understood.',
])('doubts %j', (note) => expect(checkNote(note, conversation, instructions)).toBe('doubtful'))

it('keeps notes of a Chinese conversation', () => {
  expect(checkNote('房租从下个月起是7200元', '房东说下个月房租涨到7200元', instructions)).toBe('good')
  expect(checkNote('公司成立于俄亥俄州', '房东说下个月房租涨到7200元', instructions)).toBe('bad')
})
