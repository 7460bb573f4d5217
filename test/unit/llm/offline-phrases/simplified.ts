/**
 * Messages in Simplified Chinese to an agent that keeps notes, one per line: intent, message, and the note to save or
 * the first and last day of a period. `⏎` stands for a line break; today is Wednesday, 2026-11-18.
 */
export const simplified = `
save | 记住我喜欢先看结论 | 我喜欢先看结论
save | 请帮我记一下周四下午三点评审 | 周四下午三点评审
save | 请帮我记一下：我的护照六月到期 | 我的护照六月到期
save | 麻烦帮我记住，客户叫李明 | 客户叫李明
save | 麻烦你记一下 下周二去体检 | 下周二去体检
save | 你记住我对青霉素过敏 | 我对青霉素过敏
save | 你记一下哈，门禁密码是4711 | 门禁密码是4711
save | 帮我记录一下今天水表读数48213 | 今天水表读数48213
save | 把明天的会改到三点记下来 | 明天的会改到三点
save | 把预算八万这件事记下来 | 预算八万
save | 把这个记下来：wifi密码是hunter22 | wifi密码是hunter22
save | 帮我把房东电话13800001111记下来 | 房东电话13800001111
save | 提醒我明天给妈妈打电话 | 明天给妈妈打电话
save | 提醒我一下，周五交房租 | 周五交房租
save | 提醒一下我，下班买牛奶 | 下班买牛奶
save | 记得明天带电脑 | 明天带电脑
save | 记得给猫打疫苗！ | 给猫打疫苗
save | 记一下：API key放在vault里 | API key放在vault里
save | 记下来 staging的端口是8443 | staging的端口是8443
save | 记个事，小王下周一入职 | 小王下周一入职
save | 记个笔记：发布改到1月12号 | 发布改到1月12号
save | 备忘：周日还书 | 周日还书
save | 备忘 车停在B2-37 | 车停在B2-37
save | 别忘了下个月续域名 | 下个月续域名
save | 千万别忘了我不吃香菜 | 我不吃香菜
save | 不要忘记，妈妈生日是5月3号 | 妈妈生日是5月3号
save | 请记住，我们选了PostgreSQL。 | 我们选了PostgreSQL
save | 请你帮忙记住我的鞋码是43 | 我的鞋码是43
save | 能帮我记一下吗？牙医约在周五十点 | 牙医约在周五十点
save | 可以帮我记下来吗，账单号是2231 | 账单号是2231
save | 能不能帮我记住我的工号是7781 | 我的工号是7781
save | 帮忙记一下呗 老张欠我二百块 | 老张欠我二百块
save | 我想让你记住，我在家办公的日子是周二 | 我在家办公的日子是周二
save | 我要你记住我戒咖啡了 | 我戒咖啡了
save | 给我记住：周五不许发版 | 周五不许发版
save | 记住了啊，钥匙在花盆下面 | 钥匙在花盆下面
save | 记录：部署了2.4.1到测试环境 | 部署了2.4.1到测试环境
save | 记录一下，今天跑了五公里 | 今天跑了五公里
save | 帮我存一下这个地址：人民路88号 | 人民路88号
save | 存一下，航班CA1501 14:20到 | 航班CA1501 14:20到
save | 帮我写进日志：服务器已重启 | 服务器已重启
save | 写到笔记里：蓝色文件夹在地下室 | 蓝色文件夹在地下室
save | 加到备忘录：买邮票 | 买邮票
save | 我的医生是陈大夫，记一下 | 我的医生是陈大夫
save | 下周三停电，帮我记一下 | 下周三停电
save | 打印机没墨了，请记下来。 | 打印机没墨了
save | 小李对坚果过敏，你记住哦 | 小李对坚果过敏
save | 待办：寄合同 | 寄合同
save | 你好，帮我记一下周六聚餐 | 周六聚餐
save | 请记录：ｗｉｆｉ密码ａｂｃ１２３ | ｗｉｆｉ密码ａｂｃ１２３
save | 记住🙏我住12楼 | 我住12楼
save | 往后记着点，我开会从不超过半小时 | 我开会从不超过半小时
save | 麻烦记录一下以下内容：⏎1. 甲方王总⏎2. 合同三年 | 1. 甲方王总⏎2. 合同三年
question | 记得上次我们讨论的方案是什么
question | 记得上次我们讨论的方案是什么？
question | 还记得我车停哪了吗
question | 你还记得李明是谁吗
question | 你记得我的鞋码吗？
question | 记不记得我们选了哪个数据库
question | 记得我们上次说的数据库吗？
question | 我的Slack handle是什么
question | 我的slack handle是啥
question | wifi密码是多少
question | 门禁密码多少来着
question | 什么时候开会？
question | 护照什么时候到期
question | 评审是哪天
question | 车停在哪里
question | 我车停哪儿了
question | 谁欠我钱
question | 老张欠我多少
question | 小王几号入职
question | 为什么不用GraphQL
question | 怎么重启worker
question | 我们选了哪个数据库？
question | 我对什么过敏
question | 预算定了多少
question | 发布改到几号了
question | 我妈生日是哪天来着？
question | 客户叫什么名字
question | 医生姓什么
question | 钥匙放哪了
question | 蓝色文件夹呢
question | 房东电话
question | 上次那家酒店的名字
question | 李明
question | 帮我查一下账单号
question | 查一下域名什么时候到期
question | 帮我找找关于发布的笔记
question | 搜一下香菜
question | 找一下服务器端口
question | 告诉我工号是多少
question | 提醒我一下上次说的方案是啥
question | 请问牙医约在几点
question | 我忘了门禁密码，是多少来着
question | 我不记得车停哪了
question | 想不起来谁推荐的那本书了
question | 有没有记过水表读数
question | 我有没有跟你说过我不吃香菜
question | 我们是不是选了Vite
question | 老板是不是说过周五不发版？
question | 小李能吃坚果吗
question | 咱们上周跟房东谈了啥条件
question | 昨天的故障最后怎么定的
question | 那个，我想问一下，之前我们说部署之前一定要先做的那个事情是什么来着
question | 有关于打印机的记录吗
question | 合同签几年
question | 你知道我住几楼吗
question | 周五能发版吗
question | 你好，请问房租几号交
question | 牙医约的啥时侯
question | 我记过哪些密码
question | 聚餐在周六还是周日
period | 上周我做了什么 | 2026-11-09 2026-11-15
period | 上周我做了什么？ | 2026-11-09 2026-11-15
period | 上个星期干了些啥 | 2026-11-09 2026-11-15
period | 这周我都做了什么 | 2026-11-16 2026-11-18
period | 11月10日记了什么 | 2026-11-10 2026-11-10
period | 11月3号我写了啥 | 2026-11-03 2026-11-03
period | 昨天记了什么？ | 2026-11-17 2026-11-17
period | 今天记了些什么 | 2026-11-18 2026-11-18
period | 前天发生了什么 | 2026-11-16 2026-11-16
period | 总结今天的记录 | 2026-11-18 2026-11-18
period | 总结一下昨天 | 2026-11-17 2026-11-17
period | 帮我回顾一下上周 | 2026-11-09 2026-11-15
period | 上个月都忙了什么 | 2026-10-01 2026-10-31
period | 最近三天我们聊了什么 | 2026-11-15 2026-11-18
question | 周一我干嘛了
period | 上周五记了啥 | 2026-11-13 2026-11-13
period | 看看昨天的日志 | 2026-11-17 2026-11-17
period | 三天前我记了什么 | 2026-11-15 2026-11-15
period | 2026年1月15日有什么记录 | 2026-01-15 2026-01-15
period | 我昨天说了什么 | 2026-11-17 2026-11-17
help | 你好
help | 您好！
help | 嗨
help | 在吗
help | 早上好
help | 早啊～
help | 晚上好呀
help | 哈喽👋
help | 你好呀，最近怎么样？
help | 谢谢
help | 谢谢你！
help | 多谢啦
help | 感谢🙏
help | 太感谢了
help | 好的谢谢
help | 帮助
help | 你能做什么？
help | 你是谁
help | 怎么用
help | 你会啥
help | 帮我写一首诗
help | 请翻译这段话
help | 写封邮件给客户
help | 解释一下什么是闭包
help | 好的
help | 嗯嗯
help | 👌
help | 再见
help | 收到
help | 知道了
statement | 今天有点累。
statement | 我对青霉素过敏。
statement | 预算定了八万元。
statement | 我们今天上线了新版本。
optOut | 这个不要记
optOut | 别记这个
optOut | 不用记下来
optOut | 我的银行卡密码是8842，别存
optOut | 不要记住这个：我打算辞职
optOut | 刚才那句不要保存
optOut | 这件事别记录
optOut | 这个就不用记了
statement | 明天下午三点和王总开会
statement | 后天去上海出差
statement | 下周三上午十点面试
optOut | 这句话不用记
optOut | 请不要保存这个
optOut | 我下个月要辞职，这个别记
optOut | 别把这个记下来
optOut | 这个不要存到记忆里
question | 小王什么时候结婚
question | 上次改的密码是多少
question | 谁删了那个文件
question | 我们删除旧服务器的原因是什么
question | 你知道小李的电话吗
statement | 明早九点要去医院体检
statement | 后天晚上和老张吃饭
statement | 我女儿今年上小学了。
help | 谢谢啦
help | 写一首关于春天的诗
help | 你好！你能做什么？
help | 谢谢，太好了！
help | 太棒了，谢谢你！
question | 我对青霉素过敏，另外能告诉我发布是什么时候吗？
period | 总结一下我今天告诉你的 | 2026-11-18 2026-11-18
period | 总结一下今天我跟你说的内容 | 2026-11-18 2026-11-18
`
