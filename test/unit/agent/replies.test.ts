import { describe, expect, it } from 'vitest'
import { parseNotesReply } from '../../../src/main/agent/compaction/replies.ts'

describe('parseNotesReply', () => {
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

  it.each([
    'There is nothing to save.',
    'There’s nothing new to note here.',
    'OK. There is nothing to store from this conversation.',
    'No new information.',
    '- Nothing to save',
    '{"notes": []}',
    '好的，没有需要保存的内容。',
    '無需儲存。',
    'わかりました。保存するものはありません。',
    '네, 저장할 내용이 없습니다.',
  ])('takes %j for a refusal', (answer) => {
    expect(parseNotesReply(answer)).toBeUndefined()
  })

  it.each([
    'No meat for Anna: she is vegetarian.',
    'There is nothing to save. The gate code is 4711.',
    'Nothing new to note. Anna moved to Lyon.',
    'No additional sugar in the tea.',
    '没有需要保存的内容。和小王的对话里决定用 Rust。',
    'Do not save the invoices as PDF.',
    'We keep no backups of the old server.',
    '没有猫粮了，周五前买',
    '照片没有保存，周末重拍。',
    '不用给小王发邮件了。',
    '好的，用户的猫叫小白。',
    '新しい鍵は管理人が保存している。',
    '牛乳がありません。金曜日までに買う。',
    '우유가 없습니다. 금요일까지 사야 합니다.',
  ])('takes %j for a note', (answer) => {
    expect(parseNotesReply(answer)).toBe(answer)
  })
})
