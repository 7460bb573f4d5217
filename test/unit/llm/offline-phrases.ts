/**
 * Messages to an agent that keeps notes, one per line: intent, message, and the note to save or the first and last day of
 * a period. Traditional Chinese is mostly of Taiwan, some of Hong Kong. `⏎` stands for a line break; today is Wednesday,
 * 2026-11-18.
 */
export const phrases = {
  en: `
save | Remember that I prefer PostgreSQL | I prefer PostgreSQL
save | Please note: call Ann on Friday | call Ann on Friday
save | keep in mind that Bob is vegetarian | Bob is vegetarian
save | Don’t forget: rent is due on the 5th | rent is due on the 5th
save | write down: the gate code is 4711 | the gate code is 4711
save | jot down that the cat needs her shots in May | the cat needs her shots in May
question | Who is Ann?
question | where did i park
question | Which database did we choose?
question | Remember when we met Ann?
question | Do you remember the name of that hotel?
question | remind me what we agreed with the landlord
question | what was I supposed to remember for Friday
period | What did I do last week? | 2026-11-09 2026-11-15
period | what have I been up to this week | 2026-11-16 2026-11-18
period | what did I note yesterday? | 2026-11-17 2026-11-17
period | summarize yesterday please | 2026-11-17 2026-11-17
help | hello
help | good morning
help | hi, how are you?
statement | I'm pretty tired today
statement | We shipped the release this morning.
statement | My sister moved to Leeds.
optOut | don't remember this
optOut | Please do not save that
optOut | off the record: I may quit in May
`,
  'zh-Hans': `
save | 记住我喜欢先看结论 | 我喜欢先看结论
save | 麻烦帮我记住，客户叫李明 | 客户叫李明
save | 帮我记录一下今天水表读数48213 | 今天水表读数48213
save | 帮我把房东电话13800001111记下来 | 房东电话13800001111
save | 记得明天带电脑 | 明天带电脑
save | 记下来 staging的端口是8443 | staging的端口是8443
question | 记得上次我们讨论的方案是什么
question | 你还记得李明是谁吗
question | 我的Slack handle是什么
question | 什么时候开会？
question | 车停在哪里
question | 小王几号入职
question | 我对什么过敏
period | 上周我做了什么 | 2026-11-09 2026-11-15
period | 上个星期干了些啥 | 2026-11-09 2026-11-15
period | 11月10日记了什么 | 2026-11-10 2026-11-10
period | 今天记了些什么 | 2026-11-18 2026-11-18
help | 你好
help | 在吗
help | 哈喽👋
statement | 今天有点累。
statement | 我对青霉素过敏。
statement | 我们今天上线了新版本。
optOut | 这个不要记
optOut | 别记这个
optOut | 我的银行卡密码是8842，别存
`,
  'zh-Hant': `
save | 請你記住我對青黴素過敏 | 我對青黴素過敏
save | 麻煩幫我記一下，護照六月到期 | 護照六月到期
save | 把明天會議改三點記下來 | 明天會議改三點
save | 提醒我明天打電話給媽媽 | 明天打電話給媽媽
save | 記得帶貓打預防針！ | 帶貓打預防針
save | 做個筆記：上線改到1月12號 | 上線改到1月12號
question | 記得上次我們討論的方案是什麼
question | 你記得我的鞋號嗎？
question | wifi密碼是多少
question | 評審是哪一天
question | 誰欠我錢
question | 怎麼重開worker
question | 上線改到幾號了
period | 上週我做了什麼 | 2026-11-09 2026-11-15
period | 上星期做了哪些事 | 2026-11-09 2026-11-15
period | 11月10日記了什麼 | 2026-11-10 2026-11-10
period | 昨天記了什麼？ | 2026-11-17 2026-11-17
help | 你好
help | 在嗎
help | 哈囉👋
statement | 今天有點累。
statement | 我對青黴素過敏。
statement | 我們今天上線了新版本。
optOut | 這個不要記
optOut | 別記這個
optOut | 我的提款卡密碼是8842，別存
`,
} as const
