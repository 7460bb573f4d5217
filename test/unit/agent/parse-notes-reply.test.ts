import { describe, expect, it } from 'vitest'
import { parseNotesReply } from '../../../src/main/agent/compaction/flush.ts'

describe('notesIn', () => {
  it.each([
    ['- The gate code is 4711', '- The gate code is 4711'],
    ['The cat is called Minka.\n\nNO_REPLY', 'The cat is called Minka.'],
    ['Nothing in the cellar works since 2019.', 'Nothing in the cellar works since 2019.'],
    ['用户的猫叫小白。', '用户的猫叫小白。'],
    ['NO_REPLY\n- The gate code is 4711', '- The gate code is 4711'],
    [
      '```json\n{"notes": ["Shelves for 11 euros", "Roof in \\"May\\"",\n```',
      '- Shelves for 11 euros\n- Roof in "May"',
    ],
  ])('returns the notes in %j', (answer, notes) => {
    expect(parseNotesReply(answer)).toBe(notes)
  })

  it.each([
    '',
    ' \n',
    'NO_REPLY',
    '**NO_REPLY**',
    '`no-reply`.',
    'There is nothing to keep. NO_REPLY',
    'NO_REPLY\n\nThere is nothing to save about the roof.',
    '{"notes": [',
    'OK.',
    '好的。',
  ])('returns undefined for %j', (answer) => {
    expect(parseNotesReply(answer)).toBeUndefined()
  })
})
