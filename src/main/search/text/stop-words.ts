import { stemmer } from 'stemmer'
import { lazy } from '#shared/util/lazy.ts'
import { simplify } from '#shared/util/han.ts'
import { irregularForms } from './stem.ts'

/**
 * English stop words. Written for questions about one's own notes and compared with the English list of stopwords-iso
 * 1.1.0 (MIT). Entries of that list with a meaning in notes ("computer", "system", "numbers") are left out, and
 * phrases common in questions are added. Words may be listed in any form: their stems are compared.
 */
const englishFunctionWords = `
a about above after again against all also am an and any anybody anyone anything are aren as at be because been before being below between both
but by can cannot could couldn did didn do does doesn doing don down during each either else ever every everything few for from further get go
gonna got had hadn has hasn have haven having he her here hers herself him himself his how however i if in into is isn it its itself just ll me
more most much my myself neither no nor not nothing now of off oh ok okay on once one only or other our ours ourselves out over own per please re
s same shall shan she should shouldn since so some somebody somehow someone something such t than that the their theirs them themselves then there
these they this those though through thus till to too under unless until up upon us ve very via was wasn we were weren what whatever when whenever
where wherever whether which whichever while who whoever whom whose why will with within without won would wouldn yet you your yours yourself
yourselves tell know say said let thing
`

const englishFillerWords = `
able according actually activity advice agree ago always amount answer anyway apparently area around ask aspect away back basically bit bring
brought call came case cause certain come concern consider context correct couple course current currently day days describe description detail
detailed details different difficulty discuss discussion done either end enough especially etc event exact exactly example explain fact feel find
first following gave general generally give goal good great guess happen happened help hope idea important include information instance instead
interest involve issue item keep kind last lately later least like likely list little long look lot made main mainly make manage many matter may
maybe mean mention mentioned might mind moment need never new next number often old opinion order original overall part particular particularly
people perhaps person phrase place plan point possible possibly potential previous previously probably provide put question quite rather ready
really reason recall recent recently recommend regard regarding related remember remind response right roughly seem several share show similar
situation small something sometime sometimes somewhere soon sort specific specifically start started state still stuff suggest suggestion summary
summarize summarise supposed sure take taken talk talked than thank thanks think thought time times together told took topic total toward towards
tried try trying turn type typical typically use used using usually various want wanted way week well whole wonder word work wrote year years
yesterday today dr mr mrs prof
`

/**
 * Chinese stop words, in simplified form (queries are folded to it). Written for questions about one's own notes and
 * compared with the Chinese list of stopwords-iso 1.1.0 (MIT). That list lacks most question words and contains
 * literary conjunctions that questions do not use.
 */
const chineseFunctionWords = `
的 了 和 与 及 或 或者 是 在 我 你 您 他 她 它 我们 你们 他们 她们 它们 咱们 咱 自己 大家 这 那 这个 那个 这些 那些 这里 那里 这儿 那儿 这样 那样 这么 那么
哪 哪个 哪些 哪里 哪儿 哪位 哪天 哪年 哪月 哪种 哪家 哪本 哪次 哪一 哪一天 哪一个 什么 甚么 啥 什么样 什么时候 何时 何处 何地 为何 如何 怎么 怎样 怎么样 怎么办 为什么 干什么 做什么
谁 谁的 几 几个 几号 几点 几岁 几次 几天 几年 几月 几时 几分 几块 几位 几种 多少 多久 多长 多大 多高 多远 多重 多贵 多厚 多宽 多快 多少钱 多少个 多少次 吗 呢 吧 啊 呀 哦 嘛 啦 喔 哇 咧 耶
就 都 也 还 又 再 很 太 最 更 被 把 给 对 从 到 向 往 于 以 而 且 但 但是 因为 因此 所以 如果 要是 虽然 然后 有 没有 没 不 不是 是不是 有没有 会 会不会 能 能不能 可以 可不可以 可否
要 要不要 想 说 曾 曾经 过 着 地 得 之 其 一个 一些 一下 一部 一本 一种 一次 一样 一点 时候 时 提到 提过 告诉 记得 知道 帮 帮我 帮忙 查一下 请 请问 叫 叫做 上 下 里 中 们 个 个个 跟 同 让 使
所 什么东西 什么事 不要 可是 去 来 只 才 这次 那次 时间 长时间 已 已经 正在 刚 刚才 刚刚 到底 究竟 应该 该 需要 必须 用 做 干 弄 搞 等 吗 么 号 钱 个月 呗 咋 之前 之后 以前 以后 当时 后来 目前 现在 对吗 对不对 好吗 行吗
`

const chineseFillerWords = `
名字 名称 号码 编号 最好 打 支 叫作 地方 东西 事情 事 问题 情况 原因 理由 方法 办法 方式 内容 细节 信息 结果 结论 目的 计划 打算 最近 上次 下次 上个月 下个月 这个月 上周 下周 本周 今年 去年 明年 今天 昨天 明天 前天
住 住在 放 放在 买 送 交给 给我 家里 突然 起来 不要 可是 一下子 什么东西 什么事 每次 快要 出来 昨晚 晚上 早上 很好 很久
最后 最终 第一 第一次 一共 总共 大概 大约 左右 通常 一般 平时 经常 喜欢 觉得 认为 看 看到 看过 听 听说 找 找到 说过 讲 讲过 写 写的 记 记录 记下 安排 决定 选 选择 选了 最喜欢
人 的人 样子 类型 种类 种 次 天 年 月 日 点 分 岁 位 家 本 条 款 台 位置 关于 有关 相关 具体 主要 查 看看 想想 以及 还有 另外 要紧 方面 那边 方案 其他 别的 用来 用的 用什么 变成
`

const japaneseFunctionWords = `
の に は を た が で て と し れ さ ある いる も する から な こと として い や など なっ ない この ため その あっ よう また もの という あり まで られ なる へ か だ これ によって により おり より による
ず なり られる において ば なかっ なく しかし について せ だっ その後 できる それ う ので なお のみ でき き つ における および いう さらに でも ら たり その他 に関する たち ます ん なら です でし ました ましょ
ませ まし ね よ わ ぞ ぜ さん くん ちゃん さま 様 氏 どう どうやって どうして なぜ なに なん 何 何が 何を 何の 何か 何で どこ どこで どこに どこの どこへ いつ いつも いつから いつまで 誰 だれ 誰が 誰の 誰と 誰に
どの どれ どちら どっち どんな どのくらい どれくらい どれぐらい どのぐらい いくら いくつ 幾つ 何時 何日 何月 何年 何回 何人 何階 何個 何歳 何度 何曜日 何本 何枚 何番 何色
私 僕 俺 あなた 君 彼 彼女 私たち 僕たち 我々 うち 自分 みんな ここ そこ あそこ あの あれ そんな こんな けど けれど でしょう だろう かな かも っけ って とか だけ しか ほど くらい ぐらい ながら
した して します する しない される され ました だっけ でしたっけ ですか ますか だった でした なに 何分 何時間 何日間 何週間 教えて 教え ください 下さい 知りたい 思い出せ 覚え ほしい 欲しい たい 行っ 行く 来る 来 言っ 言う 言い 思う 思っ 思い なら 的 方 時 とき 頃 ごろ 中 上 下 前 後
い る り く け こ え お あ み め む っ ー
`

const japaneseFillerWords = `
名前 番号 場所 担当 理由 原因 方法 仕方 直し方 やり方 こと 件 話 内容 詳細 予定 最近 前回 次回 今回 今日 昨日 明日 先月 来月 今月 先週 来週 今週 去年 来年 今年 全部 最後 最初 一番 好き 人 物 所 年 月 日
値段 いい 良い 使っ 使う 使い 決め 決まっ 始め 終わっ 買っ もらっ くれ 見 見る 食べ 飲ん 飲む 何し しよう つもり たぶん 確か
`

/**
 * Korean stop words. Written for questions about one's own notes and compared with the Korean list of stopwords-iso
 * 1.1.0 (MIT). That list has question words only without endings.
 */
const koreanFunctionWords = `
은 는 이 가 을 를 의 에 와 과 도 로 으로 그 저 것 수 등 및 그리고 그런데 그래서 하지만 또 또는 무엇 무엇을 무엇이 무엇인가 무엇인가요 무엇이야 무엇이었지 뭐 뭐가 뭐를 뭘 뭐야 뭐였지 뭐였어 뭐지 뭐더라 뭐로 뭐라고 뭔가 뭔지
누구 누가 누구를 누구야 누구지 누구였지 누구랑 누구와 누구에게 누구한테 누구인가 언제 언제야 언제지 언제였지 언제부터 언제까지 언제쯤 언제인가 언제예요 어디 어디에 어디서 어디에서 어디로 어디야 어디지 어디였지 어디까지 어디예요
왜 어떻게 어떤 어느 어느것 얼마 얼마나 얼마야 얼마지 얼마였지 얼마예요 얼마에 몇 몇개 몇번 몇시 몇명 몇살 몇층 몇월 몇일 며칠 있어 있나 있지 있는 있었어 있었지 있다 없어 없나 없지 했어 했지 했나 했더라 하는 하다 하지 해 해야 해줘
나 내 내가 나는 나의 나를 너 네 네가 우리 우리가 저는 제가 제 게 걸 거 몇 남지 맡은 그가 그녀 그는 이거 그거 저거 이것 그것 저것 여기 거기 저기 이런 그런 저런 무슨 알려줘 알려 말해 말해줘 알아 기억나 기억 좀 더 안 못 다 잘
때 때문 때문에 대해 대해서 대한 관한 위해 위한 정도 아까 이제 지금 그때 되나 됐어 됐지 되는 되지 돼 인가 인가요 이야 이지 이었지 였지 건가 거야 거지 건지 할까 갔어 갔지 갔나 가는 간 가야 왔어
`

const koreanFillerWords = `
이름 번호 종류 이유 방법 장소 날짜 시간 사람 문제 내용 결과 원인 계획 최근 지난번 지난달 지난주 이번 이번달 이번주 다음 다음달 다음주 오늘 어제 내일 작년 올해 내년 처음 마지막 제일 가장 좋아하는 좋아해 정했지 정했어
결정했어 결정했지 만들었어 만들어 샀어 샀지 산 먹었어 먹었지 봤어 봤지 생겨 생긴 넣어 쓰는 썼어 받았어 주는 줬어 몇몇 모두 전부
`

/** Particles, honorifics and verb endings; a word is also searched for without its ending. */
export const koreanEndings = `
이었습니까 이었는데요 이었더라 이었지요 이었어요 이라고는 이라는데 입니까 입니다 이에요 이었지 이었나 이었어 이라고 이라는 이라도 이랑은 에서부터 에서는 에서도 에서의 에게서 에게는 한테서 한테는 으로부터 으로는
으로도 으로서 으로써 까지는 까지의 부터는 부터의 이나마 조차도 마저도 님께서 님은 님이 님을 님의 님과 씨는 씨가 씨를 씨의 씨와 씨랑 씨에게 씨한테 예요 에요 이야 이지 이랑 이나 이며 이고 인지 인가 인데 이란 라고 라는 였지 였어 였나
에서 에게 에는 에도 에만 께서 한테 으로 까지 부터 처럼 보다 마다 조차 마저 밖에 대로 만큼 이라 야말로 하고 들은 들이 들을 들의 들과 님 씨 들 은 는 이 가 을 를 의 에 로 와 과 도 만 랑 야 지 나 요
`

/**
 * `function`: stop word, searched for only if the query has no other words. `filler`: common in questions on any
 * subject. `name`: capitalized within a sentence. `figure`: a number, a date or an identifier.
 */
export type WordRole = 'function' | 'filler' | 'content' | 'name' | 'figure'

const split = (...lists: readonly string[]) => lists.join(' ').split(/\s+/).filter(Boolean)
const stemmed = (list: string) =>
  lazy(() => new Set(split(list).map((word) => stemmer(irregularForms.get(word) ?? word))))

const englishFunction = stemmed(englishFunctionWords)
const englishFiller = stemmed(englishFillerWords)
/** Queries are folded to simplified Han, Japanese words included. */
const folded = (...lists: readonly string[]) => lazy(() => new Set(split(simplify(lists.join(' ')))))
const cjkFunction = folded(chineseFunctionWords, japaneseFunctionWords, koreanFunctionWords)
const cjkFiller = folded(chineseFillerWords, japaneseFillerWords, koreanFillerWords)

export function roleOfStem(stem: string): 'function' | 'filler' | 'content' {
  return englishFunction().has(stem) ? 'function' : englishFiller().has(stem) ? 'filler' : 'content'
}

/** Returns the role of a folded word. A Han word composed of function words (我的, 都不) is a function word. */
export function roleOfCjk(word: string): 'function' | 'filler' | 'content' {
  if (cjkFunction().has(word)) return 'function'
  if (cjkFiller().has(word)) return 'filler'
  return /^\p{Script=Han}{2,4}$/u.test(word) && isMadeOfFunctionWords(word) ? 'function' : 'content'
}

function isMadeOfFunctionWords(word: string): boolean {
  if (word === '') return true
  for (let length = 1; length <= word.length; length += 1) {
    if (cjkFunction().has(word.slice(0, length)) && isMadeOfFunctionWords(word.slice(length))) return true
  }
  return false
}
