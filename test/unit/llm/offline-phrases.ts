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
save | save this: flight LH441 lands 14:20 | flight LH441 lands 14:20
save | log this: deployed 2.4.1 to staging | deployed 2.4.1 to staging
save | hey can you remember my locker is 212 | my locker is 212
save | I'd like you to keep in mind that I work from home on Tuesdays | I work from home on Tuesdays
save | remember this: always run migrations first | always run migrations first
save | The keys are under the pot. Please remember this. | The keys are under the pot.
save | kindly note that payroll closes on the 25th | payroll closes on the 25th
save | memo: gas meter reading due friday | gas meter reading due friday
question | Who is Ann?
question | where did i park
question | Which database did we choose?
question | Remember when we met Ann?
question | Do you remember the name of that hotel?
question | remind me what we agreed with the landlord
question | what was I supposed to remember for Friday
question | What did we decide about yesterday's outage?
question | tell me where the blue folder is
question | does mia start this week or next
question | look up the server port
question | can you check what my locker number is
question | I can't remember where the blue folder is
question | so uh what was that thing about the migrations we said we'd always do before deploying
question | whose number ends in 0132
question | What did I write about Priya last week?
question | how many people are coming to the demo
question | who deleted the backup?
period | What did I do last week? | 2026-11-09 2026-11-15
period | what have I been up to this week | 2026-11-16 2026-11-18
period | what did I note yesterday? | 2026-11-17 2026-11-17
period | summarize yesterday please | 2026-11-17 2026-11-17
period | recap of last month | 2026-10-01 2026-10-31
period | Show me 2026-01-15 | 2026-01-15 2026-01-15
period | what did I do on Monday | 2026-11-16 2026-11-16
period | show me yesterday's notes | 2026-11-17 2026-11-17
period | what was I doing last month | 2026-10-01 2026-10-31
help | hello
help | good morning
help | hi, how are you?
help | thx
help | help
help | how does this work?
help | explain monads to me
help | got it
help | Hi there! What can you do?
statement | I'm pretty tired today
statement | We shipped the release this morning.
statement | My sister moved to Leeds.
statement | dentist tomorrow at 9:30
statement | Lunch with Kim tomorrow at noon
statement | I have an interview tomorrow at 2pm
optOut | don't remember this
optOut | Please do not save that
optOut | off the record: I may quit in May
optOut | no need to write that down
optOut | Never store this: card 4929
optOut | this is off the record
optOut | please don't store what I just told you
`,
  'zh-Hans': `
save | 记住我喜欢先看结论 | 我喜欢先看结论
save | 麻烦帮我记住，客户叫李明 | 客户叫李明
save | 帮我记录一下今天水表读数48213 | 今天水表读数48213
save | 帮我把房东电话13800001111记下来 | 房东电话13800001111
save | 记得明天带电脑 | 明天带电脑
save | 记下来 staging的端口是8443 | staging的端口是8443
save | 备忘 车停在B2-37 | 车停在B2-37
save | 请记住，我们选了PostgreSQL。 | 我们选了PostgreSQL
save | 能不能帮我记住我的工号是7781 | 我的工号是7781
save | 给我记住：周五不许发版 | 周五不许发版
save | 记录一下，今天跑了五公里 | 今天跑了五公里
save | 写到笔记里：蓝色文件夹在地下室 | 蓝色文件夹在地下室
save | 打印机没墨了，请记下来。 | 打印机没墨了
save | 请记录：ｗｉｆｉ密码ａｂｃ１２３ | ｗｉｆｉ密码ａｂｃ１２３
question | 记得上次我们讨论的方案是什么
question | 你还记得李明是谁吗
question | 我的Slack handle是什么
question | 什么时候开会？
question | 车停在哪里
question | 小王几号入职
question | 我对什么过敏
question | 客户叫什么名字
question | 蓝色文件夹呢
question | 帮我查一下账单号
question | 找一下服务器端口
question | 请问牙医约在几点
question | 有没有记过水表读数
question | 小李能吃坚果吗
question | 有关于打印机的记录吗
question | 周五能发版吗
question | 聚餐在周六还是周日
question | 谁删了那个文件
period | 上周我做了什么 | 2026-11-09 2026-11-15
period | 上个星期干了些啥 | 2026-11-09 2026-11-15
period | 11月10日记了什么 | 2026-11-10 2026-11-10
period | 今天记了些什么 | 2026-11-18 2026-11-18
period | 总结今天的记录 | 2026-11-18 2026-11-18
period | 帮我回顾一下上周 | 2026-11-09 2026-11-15
period | 上周五记了啥 | 2026-11-13 2026-11-13
period | 三天前我记了什么 | 2026-11-15 2026-11-15
period | 我昨天说了什么 | 2026-11-17 2026-11-17
help | 你好
help | 在吗
help | 哈喽👋
help | 多谢啦
help | 帮助
help | 你会啥
help | 解释一下什么是闭包
help | 再见
help | 写一首关于春天的诗
statement | 今天有点累。
statement | 我对青霉素过敏。
statement | 我们今天上线了新版本。
statement | 后天去上海出差
statement | 下周三上午十点面试
statement | 后天晚上和老张吃饭
optOut | 这个不要记
optOut | 别记这个
optOut | 我的银行卡密码是8842，别存
optOut | 刚才那句不要保存
optOut | 这个就不用记了
optOut | 请不要保存这个
optOut | 别把这个记下来
`,
  'zh-Hant': `
save | 請你記住我對青黴素過敏 | 我對青黴素過敏
save | 麻煩幫我記一下，護照六月到期 | 護照六月到期
save | 把明天會議改三點記下來 | 明天會議改三點
save | 提醒我明天打電話給媽媽 | 明天打電話給媽媽
save | 記得帶貓打預防針！ | 帶貓打預防針
save | 做個筆記：上線改到1月12號 | 上線改到1月12號
save | 別忘了下個月續約網域 | 下個月續約網域
save | 可以幫我記一下嗎？牙醫約星期五十點 | 牙醫約星期五十點
save | 我要你記住我戒咖啡了 | 我戒咖啡了
save | 記錄：已部署2.4.1到測試機 | 已部署2.4.1到測試機
save | 寫進日誌：伺服器已重開機 | 伺服器已重開機
save | 下週三停電，幫我記一下 | 下週三停電
save | 待辦：寄合約 | 寄合約
save | 以後都要記得，我開會不超過半小時 | 我開會不超過半小時
question | 記得上次我們討論的方案是什麼
question | 你記得我的鞋號嗎？
question | wifi密碼是多少
question | 評審是哪一天
question | 誰欠我錢
question | 怎麼重開worker
question | 上線改到幾號了
question | 醫生姓什麼
question | 上次那家飯店的名字
question | 幫我找找關於上線的筆記
question | 跟我說員工編號是多少
question | 我不記得車停哪了
question | 我們是不是選了Vite
question | 我們上週跟房東談了什麼條件
question | 合約簽幾年
question | 牙醫是約啥時
question | 幾點搭咩巴士
question | 誰刪了那個檔案
period | 上週我做了什麼 | 2026-11-09 2026-11-15
period | 上星期做了哪些事 | 2026-11-09 2026-11-15
period | 11月10日記了什麼 | 2026-11-10 2026-11-10
period | 昨天記了什麼？ | 2026-11-17 2026-11-17
period | 前天發生了什麼事 | 2026-11-16 2026-11-16
period | 回顧上週 | 2026-11-09 2026-11-15
period | 最近三天我們聊了什麼 | 2026-11-15 2026-11-18
period | 看看昨天的日誌 | 2026-11-17 2026-11-17
period | 2026年1月15日有什麼紀錄 | 2026-01-15 2026-01-15
help | 你好
help | 在嗎
help | 哈囉👋
help | 多謝啦
help | 說明
help | 怎麼用
help | 寫封信給客戶
help | 👌
help | 寫一首關於春天的詩
statement | 今天有點累。
statement | 我對青黴素過敏。
statement | 我們今天上線了新版本。
statement | 後天去台中出差
statement | 下週三上午十點面試
statement | 後天晚上和老張吃飯
optOut | 這個不要記
optOut | 別記這個
optOut | 我的提款卡密碼是8842，別存
optOut | 剛才那句不要儲存
optOut | 這個就不用記了
optOut | 請不要儲存這個
optOut | 別把這個記下來
`,
} as const
