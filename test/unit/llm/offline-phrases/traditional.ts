/**
 * Messages in Traditional Chinese (mostly Taiwan, some Hong Kong) to an agent that keeps notes, one per line: intent,
 * message, and the note to save or the first and last day of a period. `⏎` stands for a line break; today is Wednesday,
 * 2026-11-18.
 */
export const traditional = `
save | 請你記住我對青黴素過敏 | 我對青黴素過敏
save | 請你記住：客戶叫林小姐 | 客戶叫林小姐
save | 請幫我記一下週四下午三點評審 | 週四下午三點評審
save | 麻煩幫我記一下，護照六月到期 | 護照六月到期
save | 麻煩你記住 我的鞋號是27 | 我的鞋號是27
save | 幫我記下來：大門密碼4711 | 大門密碼4711
save | 幫我記錄一下今天跑了五公里 | 今天跑了五公里
save | 把明天會議改三點記下來 | 明天會議改三點
save | 把這個記下來，wifi密碼是hunter22 | wifi密碼是hunter22
save | 幫我把房東電話0912345678記下來 | 房東電話0912345678
save | 提醒我明天打電話給媽媽 | 明天打電話給媽媽
save | 提醒我一下，星期五交房租 | 星期五交房租
save | 提醒我喔 下班買牛奶 | 下班買牛奶
save | 記得明天開會 | 明天開會
save | 記得帶貓打預防針！ | 帶貓打預防針
save | 記一下：API key放在vault | API key放在vault
save | 記下 staging 的 port 是 8443 | staging 的 port 是 8443
save | 記一下喔，小陳下週一報到 | 小陳下週一報到
save | 做個筆記：上線改到1月12號 | 上線改到1月12號
save | 備忘：星期天還書 | 星期天還書
save | 備忘錄 車停B2-37 | 車停B2-37
save | 別忘了下個月續約網域 | 下個月續約網域
save | 千萬不要忘記我不吃香菜 | 我不吃香菜
save | 不要忘了，媽媽生日是5月3號 | 媽媽生日是5月3號
save | 請記住，我們選了PostgreSQL。 | 我們選了PostgreSQL
save | 可以幫我記一下嗎？牙醫約星期五十點 | 牙醫約星期五十點
save | 能不能幫我記住我的員工編號是7781 | 我的員工編號是7781
save | 可不可以幫我記：老張欠我兩百 | 老張欠我兩百
save | 我想請你記住，我每週二在家上班 | 我每週二在家上班
save | 我要你記住我戒咖啡了 | 我戒咖啡了
save | 給我記住：星期五不准上版 | 星期五不准上版
save | 記住囉，鑰匙在花盆底下 | 鑰匙在花盆底下
save | 記錄：已部署2.4.1到測試機 | 已部署2.4.1到測試機
save | 紀錄一下，水錶48213 | 水錶48213
save | 幫我存這個地址：中山路88號 | 中山路88號
save | 存起來：航班BR198 14:20抵達 | 航班BR198 14:20抵達
save | 寫進日誌：伺服器已重開機 | 伺服器已重開機
save | 寫到筆記裡：藍色資料夾在地下室 | 藍色資料夾在地下室
save | 加到備忘錄：買郵票 | 買郵票
save | 我的醫生是陳醫師，記一下 | 我的醫生是陳醫師
save | 下週三停電，幫我記一下 | 下週三停電
save | 印表機沒墨了，請記下來。 | 印表機沒墨了
save | 小李對堅果過敏，你要記住喔 | 小李對堅果過敏
save | 待辦：寄合約 | 寄合約
save | 哈囉，幫我記一下週六聚餐 | 週六聚餐
save | 幫我note一下：demo改到3pm | demo改到3pm
save | 唔該幫我記低，搭88號巴士 | 搭88號巴士
save | 記住🙏我住12樓 | 我住12樓
save | 以後都要記得，我開會不超過半小時 | 我開會不超過半小時
save | 請記錄以下內容：⏎1. 甲方王總⏎2. 合約三年 | 1. 甲方王總⏎2. 合約三年
save | 麻煩記一下ㄛ 發票號碼AB2231 | 發票號碼AB2231
question | 記得上次我們討論的方案是什麼
question | 還記得我車停哪嗎
question | 你還記得林小姐是誰嗎
question | 你記得我的鞋號嗎？
question | 記不記得我們選了哪個資料庫
question | 記得上次講的那家餐廳嗎
question | 我的Slack帳號是什麼
question | wifi密碼是多少
question | 大門密碼多少啊
question | 什麼時候開會？
question | 護照什麼時候到期
question | 評審是哪一天
question | 車停在哪裡
question | 我車停哪了
question | 誰欠我錢
question | 老張欠我多少
question | 小陳幾號報到
question | 為什麼不用GraphQL
question | 怎麼重開worker
question | 我們選了哪個資料庫？
question | 我對什麼過敏
question | 預算訂了多少
question | 上線改到幾號了
question | 我媽生日是哪天啊？
question | 客戶叫什麼名字
question | 醫生姓什麼
question | 鑰匙放哪
question | 藍色資料夾呢
question | 房東電話
question | 上次那家飯店的名字
question | 林小姐
question | 幫我查一下發票號碼
question | 查一下網域什麼時候到期
question | 幫我找找關於上線的筆記
question | 搜尋香菜
question | 找一下伺服器的port
question | 跟我說員工編號是多少
question | 提醒我一下上次說的方案是什麼
question | 請問牙醫約幾點
question | 我忘了大門密碼，是多少
question | 我不記得車停哪了
question | 想不起來是誰推薦那本書的
question | 有沒有記過水錶
question | 我有跟你說過我不吃香菜嗎
question | 我們是不是選了Vite
question | 老闆是不是講過星期五不上版？
question | 小李可以吃堅果嗎
question | 我們上週跟房東談了什麼條件
question | 昨天的當機最後怎麼處理
question | 欸我想問一下喔，之前我們說部署之前一定要先做的那件事到底是什麼
question | 有關於印表機的紀錄嗎
question | 合約簽幾年
question | 你知道我住幾樓嗎
question | 禮拜五可以上版嗎
question | 您好，請問房租幾號要交
question | 牙醫是約啥時
question | 我記過哪些密碼
question | 聚餐是週六還是週日
question | 幾點搭咩巴士
period | 上週我做了什麼 | 2026-11-09 2026-11-15
period | 我上禮拜做了什麼？ | 2026-11-09 2026-11-15
period | 上星期做了哪些事 | 2026-11-09 2026-11-15
period | 這週我做了什麼 | 2026-11-16 2026-11-18
period | 11月10日記了什麼 | 2026-11-10 2026-11-10
period | 11月3號我寫了什麼 | 2026-11-03 2026-11-03
period | 昨天記了什麼？ | 2026-11-17 2026-11-17
period | 今天記了些什麼 | 2026-11-18 2026-11-18
period | 前天發生了什麼事 | 2026-11-16 2026-11-16
period | 總結今天的紀錄 | 2026-11-18 2026-11-18
period | 幫我整理昨天 | 2026-11-17 2026-11-17
period | 回顧上週 | 2026-11-09 2026-11-15
period | 上個月都在忙什麼 | 2026-10-01 2026-10-31
period | 最近三天我們聊了什麼 | 2026-11-15 2026-11-18
question | 禮拜一我幹嘛了
period | 上週五記了什麼 | 2026-11-13 2026-11-13
period | 看看昨天的日誌 | 2026-11-17 2026-11-17
period | 三天前我記了什麼 | 2026-11-15 2026-11-15
period | 2026年1月15日有什麼紀錄 | 2026-01-15 2026-01-15
help | 你好
help | 您好！
help | 嗨
help | 在嗎
help | 早安
help | 早啊～
help | 晚安你好
help | 哈囉👋
help | 你好，最近如何？
help | 謝謝
help | 謝謝你！
help | 多謝啦
help | 太感謝了
help | 辛苦了
help | 好喔謝謝
help | 說明
help | 你能做什麼？
help | 你是誰
help | 怎麼用
help | 你會做什麼
help | 幫我寫一首詩
help | 請翻譯這段話
help | 寫封信給客戶
help | 解釋一下什麼是閉包
help | 好喔
help | 嗯嗯
help | 👌
help | 收到
help | 知道了
statement | 今天有點累。
statement | 我對青黴素過敏。
statement | 預算訂了八萬元。
statement | 我們今天上線了新版本。
optOut | 這個不要記
optOut | 別記這個
optOut | 不用記下來
optOut | 我的提款卡密碼是8842，別存
optOut | 不要記住這個：我打算辭職
optOut | 剛才那句不要儲存
optOut | 這件事別記錄
optOut | 這個就不用記了
statement | 明天下午三點和王總開會
statement | 後天去台中出差
statement | 下週三上午十點面試
optOut | 這句話不用記
optOut | 請不要儲存這個
optOut | 我下個月要辭職，這個別記
optOut | 別把這個記下來
optOut | 這個不要存到記憶裡
question | 小王什麼時候結婚
question | 上次改的密碼是多少
question | 誰刪了那個檔案
question | 我們刪除舊伺服器的原因是什麼
question | 你知道小李的電話嗎
statement | 明早九點要去醫院做健康檢查
statement | 後天晚上和老張吃飯
statement | 我女兒今年上小學了。
help | 謝謝啦
help | 寫一首關於春天的詩
help | 嗨！你可以做什麼？
help | 謝啦，太棒了！
help | 謝謝，太好了！
question | 我對青黴素過敏，順便問一下，發布是什麼時候？
period | 總結一下我今天跟你說的事情 | 2026-11-18 2026-11-18
period | 幫我總結我今天告訴你的 | 2026-11-18 2026-11-18
`
