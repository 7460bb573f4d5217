/**
 * Chinese stop words, in simplified form (queries are folded to it). Written for questions about one's own notes and
 * compared with the Chinese list of stopwords-iso 1.1.0 (MIT). That list lacks most question words and contains
 * literary conjunctions that questions do not use.
 */

/** Function and question words: searched for only if the query has no other words. */
export const chineseFunctionWords = `
的 了 和 与 及 或 或者 是 在 我 你 您 他 她 它 我们 你们 他们 她们 它们 咱们 咱 自己 大家 这 那 这个 那个 这些 那些 这里 那里 这儿 那儿 这样 那样 这么 那么
哪 哪个 哪些 哪里 哪儿 哪位 哪天 哪年 哪月 哪种 哪家 哪本 哪次 哪一 哪一天 哪一个 什么 甚么 啥 什么样 什么时候 何时 何处 何地 为何 如何 怎么 怎样 怎么样 怎么办 为什么 干什么 做什么
谁 谁的 几 几个 几号 几点 几岁 几次 几天 几年 几月 几时 几分 几块 几位 几种 多少 多久 多长 多大 多高 多远 多重 多贵 多厚 多宽 多快 多少钱 多少个 多少次 吗 呢 吧 啊 呀 哦 嘛 啦 喔 哇 咧 耶
就 都 也 还 又 再 很 太 最 更 被 把 给 对 从 到 向 往 于 以 而 且 但 但是 因为 因此 所以 如果 要是 虽然 然后 有 没有 没 不 不是 是不是 有没有 会 会不会 能 能不能 可以 可不可以 可否
要 要不要 想 说 曾 曾经 过 着 地 得 之 其 一个 一些 一下 一部 一本 一种 一次 一样 一点 时候 时 提到 提过 告诉 记得 知道 请 请问 叫 叫做 上 下 里 中 们 个 个个 跟 同 让 使
所 什么东西 什么事 不要 可是 去 来 只 才 这次 那次 时间 长时间 已 已经 正在 刚 刚才 刚刚 到底 究竟 应该 该 需要 必须 用 做 干 弄 搞 等 吗 么 号 钱 个月 呗 咋 之前 之后 以前 以后 当时 后来 目前 现在 对吗 对不对 好吗 行吗
`

/** Words that are common in questions on any subject: they have a low weight, found or not. */
export const chineseFillerWords = `
名字 名称 号码 编号 最好 打 支 叫作 地方 东西 事情 事 问题 情况 原因 理由 方法 办法 方式 内容 细节 信息 结果 结论 目的 计划 打算 最近 上次 下次 上个月 下个月 这个月 上周 下周 本周 今年 去年 明年 今天 昨天 明天 前天
住 住在 放 放在 买 送 交给 给我 家里 突然 起来 不要 可是 一下子 什么东西 什么事 每次 快要 出来 昨晚 晚上 早上 很好 很久
最后 最终 第一 第一次 一共 总共 大概 大约 左右 通常 一般 平时 经常 喜欢 觉得 认为 看 看到 看过 听 听说 找 找到 说过 讲 讲过 写 写的 记 记录 记下 安排 决定 选 选择 选了 最喜欢
人 的人 样子 类型 种类 种 次 天 年 月 日 点 分 岁 位 家 本 条 款 台 位置 关于 有关 相关 具体 主要 帮 帮我 帮忙 查 查一下 看看 想想 以及 还有 另外 其他 别的 用来 用的 用什么 变成
`
