import { describe, expect, it } from 'vitest'
import { parseNotesReply } from '../../../src/main/agent/compaction/replies.ts'

describe('parseNotesReply', () => {
  it.each([
    ['- The gate code is 4711', '- The gate code is 4711'],
    ['NO_REPLY\n- The gate code is 4711', '- The gate code is 4711'],
    [
      '```json\n{"notes": ["Shelves for 11 euros", "Roof in \\"May\\"",\n```',
      '- Shelves for 11 euros\n- Roof in "May"',
    ],
  ])('returns the notes in %j', (answer, notes) => {
    expect(parseNotesReply(answer)).toBe(notes)
  })

  it.each(['', 'NO_REPLY', 'There is nothing to keep. NO_REPLY', '{"notes": ['])(
    'returns undefined for %j',
    (answer) => {
      expect(parseNotesReply(answer)).toBeUndefined()
    },
  )

  it.each([
    'There is nothing to save.',
    'OK. There is nothing to store from this conversation.',
    '{"notes": []}',
    '好的，没有需要保存的内容。',
    'わかりました。保存するものはありません。',
    '네, 저장할 내용이 없습니다.',
  ])('takes %j for a refusal', (answer) => {
    expect(parseNotesReply(answer)).toBeUndefined()
  })

  it.each([
    'No meat for Anna: she is vegetarian.',
    'There is nothing to save. The gate code is 4711.',
    '没有需要保存的内容。和小王的对话里决定用 Rust。',
    '没有猫粮了，周五前买',
    '照片没有保存，周末重拍。',
    '新しい鍵は管理人が保存している。',
    '우유가 없습니다. 금요일까지 사야 합니다.',
  ])('takes %j for a note', (answer) => {
    expect(parseNotesReply(answer)).toBe(answer)
  })
})
