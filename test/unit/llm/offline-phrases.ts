/**
 * Messages to an agent that keeps notes, one per line: intent, message, and the note to save or the first and last day of
 * a period. Traditional Chinese is mostly of Taiwan, some of Hong Kong. `⏎` stands for a line break; today is Wednesday,
 * 2026-11-18.
 */
export const phrases = {
  en: `
save | Remember that I prefer PostgreSQL | I prefer PostgreSQL
save | Please note: call Ann on Friday | call Ann on Friday
save | Don’t forget: rent is due on the 5th | rent is due on the 5th
save | write down: the gate code is 4711 | the gate code is 4711
question | Who is Ann?
question | Remember when we met Ann?
question | Do you remember the name of that hotel?
question | remind me what we agreed with the landlord
period | What did I do last week? | 2026-11-09 2026-11-15
period | what did I note yesterday? | 2026-11-17 2026-11-17
period | summarize yesterday please | 2026-11-17 2026-11-17
help | hello
help | hi, how are you?
statement | I'm pretty tired today
statement | We shipped the release this morning.
optOut | don't remember this
optOut | Please do not save that
optOut | off the record: I may quit in May
`,
  'zh-CN': `
save | 记住我喜欢先看结论 | 我喜欢先看结论
save | 帮我把房东电话13800001111记下来 | 房东电话13800001111
save | 记得明天带电脑 | 明天带电脑
save | 记下来 staging的端口是8443 | staging的端口是8443
question | 记得上次我们讨论的方案是什么
question | 你还记得李明是谁吗
question | 什么时候开会？
question | 小王几号入职
period | 上周我做了什么 | 2026-11-09 2026-11-15
period | 11月10日记了什么 | 2026-11-10 2026-11-10
period | 今天记了些什么 | 2026-11-18 2026-11-18
help | 你好
help | 哈喽👋
statement | 今天有点累。
statement | 我对青霉素过敏。
optOut | 这个不要记
optOut | 别记这个
optOut | 我的银行卡密码是8842，别存
`,
  'zh-TW': `
save | 請你記住我對青黴素過敏 | 我對青黴素過敏
save | 麻煩幫我記一下，護照六月到期 | 護照六月到期
save | 提醒我明天打電話給媽媽 | 明天打電話給媽媽
save | 做個筆記：上線改到1月12號 | 上線改到1月12號
question | 記得上次我們討論的方案是什麼
question | 你記得我的鞋號嗎？
question | 誰欠我錢
question | 上線改到幾號了
period | 上週我做了什麼 | 2026-11-09 2026-11-15
period | 11月10日記了什麼 | 2026-11-10 2026-11-10
period | 昨天記了什麼？ | 2026-11-17 2026-11-17
help | 你好
help | 哈囉👋
statement | 今天有點累。
statement | 我對青黴素過敏。
optOut | 這個不要記
optOut | 別記這個
optOut | 我的提款卡密碼是8842，別存
`,
} as const
