import { describe, expect, it } from 'vitest'
import { isRefusal } from '../../../src/main/agent/compaction/refusals.ts'

describe('replies to a flush', () => {
  it.each([
    'Nothing to save.',
    'There is nothing to save.',
    'There’s nothing new to note here.',
    'No durable notes to save.',
    'No new information.',
    'I have nothing to add.',
    'I found nothing worth saving in this conversation.',
    "I don't see anything that needs to be saved.",
    'OK. There is nothing to store from this conversation.',
    'Understood, no notes are needed.',
    'Nothing to save: the conversation was only small talk.',
    'No new facts, since everything is already recorded in today’s log.',
    'There is nothing durable to save. The exchange contained only greetings.',
    'This conversation does not contain any durable information.',
    'No action needed.',
    'OK.',
    'Done.',
    'Noted.',
    'None',
    '- Nothing to save',
    '**Nothing to save.**',
    '無需儲存。',
    '没有需要保存的内容。',
    '好的，没有需要保存的内容。',
    '好的，本次对话没有需要记录的信息。',
    '明白了。目前没有什么值得保存的。',
    '没有新的内容需要写入日志。',
    '无需保存：这次对话只是寒暄。',
    '没有需要保存的内容，因为对话里只有问候。',
    '收到，沒有需要記錄的資訊。',
    '這段對話沒有值得儲存的內容。內容都已經在日誌裡。',
    '暂无需要保存的内容',
    '好的。',
    '已记录。',
    '保存するものはありません。',
    'わかりました。保存する必要のある情報はありません。',
    '承知しました。特に記録すべき内容はありません。',
    '今回の会話には保存すべき新しい情報は含まれていません。',
    '保存する内容はありません。会話は挨拶だけでした。',
    '新しいメモはありません。',
    'はい、特に保存すべきことはありません。',
    '記録事項なし',
    '저장할 내용이 없습니다.',
    '네, 저장할 내용이 없습니다.',
    '알겠습니다. 새로 기록할 정보가 없습니다.',
    '이번 대화에는 저장할 만한 내용이 없습니다.',
    '저장할 내용이 없습니다. 대화는 인사뿐이었습니다.',
    '특별히 기록할 사항 없음',
    '기록할 필요가 없습니다.',
    '추가로 저장할 메모가 없어요.',
  ])('%j says that there is nothing to save', (reply) => {
    expect(isRefusal(reply)).toBe(true)
  })

  it.each([
    'Nothing in the cellar works since 2019.',
    'No meat for Anna: she is vegetarian.',
    'There is nothing to save. The gate code is 4711.',
    'Nothing new to note. Anna moved to Lyon.',
    'No sugar in the tea.',
    'Nothing new to save. The discussion with Ben settled on Rust.',
    '没有需要保存的内容。和小王的对话里决定用 Rust。',
    'Do not save the invoices as PDF.',
    'Saved 400 euros in May.',
    'We keep no backups of the old server.',
    'The chat with Ben was about the lease; nothing was decided.',
    '- Not interested in golf',
    '没有猫粮了，周五前买',
    '照片没有保存，周末重拍。',
    '没有需要买的东西，除了牛奶。',
    '用户不需要提醒吃药。',
    '不用给小王发邮件了。',
    '無線網路密碼在冰箱上。',
    '好的，用户的猫叫小白。',
    '新しい鍵は管理人が保存している。',
    '牛乳がありません。金曜日までに買う。',
    'コーヒーは飲まない。',
    '우유가 없습니다. 금요일까지 사야 합니다.',
    '민수는 고기를 먹지 않습니다.',
    '네, 회의는 목요일 10시입니다.',
  ])('%j is a note', (reply) => {
    expect(isRefusal(reply)).toBe(false)
  })

  it('reads a long reply in linear time', () => {
    expect(isRefusal('没有需要的'.repeat(79))).toBe(true)
    expect(isRefusal(`${'没有需要的'.repeat(79)}猫`)).toBe(false)
    expect(isRefusal(`${'nothing to note '.repeat(24)}cat`)).toBe(false)
    expect(isRefusal('Nothing to save. '.repeat(100))).toBe(false)
  })
})
