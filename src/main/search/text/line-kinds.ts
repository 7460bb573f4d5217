/**
 * Finds lines that state a decision (*we chose X*, 选了, 敲定) or an outcome (*resolved in v2*, 修好了), and the words of
 * questions for them (*what did we agree on*, *is it fixed*). The index gives all lines of a kind one term, and a
 * question for the kind searches for that term. The input must be folded (lower case, simplified Han).
 */
import { headingSeparator } from '../units/unit.ts'
import { anyOf } from './language/words.ts'

interface LineKind {
  /** Begins with a sign that no word contains. */
  readonly term: string
  readonly line: RegExp
  /** Matches words that leave the matter open: "no decision yet". Global. */
  readonly open?: RegExp
  readonly heading?: RegExp
  readonly asked: RegExp
}

const notPeople = '(?!_(?:up|me|him|her|them)\\b)'
const decided = `decided decision(?=s?:|_(?:is|was|to|for|on)_) chose chosen picked${notPeople} selected adopted opted_(?:for|to) settled_(?:on|for)
  agreed_(?:on|to) (?:went|going|gone)_with switched_(?:from|to) winner 决定 决议 选用 选定 选中 选了 选择了 选的是 采用 采纳 敲定
  拍板 商定 定为 定下 定了 确定用 确定为 改用 换用`
const done = `fixed solved resolved repaired finished completed renewed released merged works?_again still_open
  not_(?:yet_)?(?:fixed|solved|resolved|done) 修好 修复 解决 搞定 完成 处理好 续期 上线 (?:还没|尚未)(?=[修解完好上])`
const leavesOpen = anyOf(
  `no not never without \\w+n['’]t yet_to (?:need|have|want)_to until postponed? deferred put_off`,
)
const agreement = anyOf(
  `decisions? decided? choose chosen settled? agreed?(?!_more) agreement consensus conclusions? winner minds?`,
)
const openInChinese = `决定 结论 定论 共识 一致 选定 选好 想好 敲定 拍板 定下 定了 谈拢 结果`
const open = [
  `${leavesOpen}(?: \\w+){0,3} ${agreement}`,
  anyOf('undecided unresolved inconclusive tbd open_question up_in_the_air left_(?:it|this|that)_open'),
  `(?:没|尚未|还未|未能|再(?!三)|待)[^，。；就才]{0,4}${anyOf(openInChinese)}|[没未待]定(?![义位期])`,
  anyOf('再议 (?:下次|下周|改天|回头|到时候?)再(?:说|看|讨论|商量) 谈不拢 定不下来 拿不定 搁置 各执一词 悬而未决'),
].join('|')

const kinds: readonly LineKind[] = [
  {
    term: '§decision',
    line: new RegExp(
      `${anyOf(decided, 'from_now_on')}|^\\W*(?:[\\d-]+\\W+)?(?:(?:we(?:'re| are)|now) )?using |(?:以后|今后)(?:都|统一|一律)`,
    ),
    open: new RegExp(open, 'g'),
    heading: new RegExp(anyOf('decisions? decided conclusions? resolution 决定 决议 决策 结论 选型')),
    asked: new RegExp(
      `${anyOf(
        decided,
        `decisions? decid(?:e|es|ing) conclusions? conclude[ds]? choos(?:e|es|ing) choices? pick${notPeople} selection
        select adopt opt_(?:for|to) settle_(?:on|for) agree_(?:on|to) agreed?(?=_about\\b) go_(?:with|for)
        决策 选择 选型 选的 选 挑了? 确定 结论 定的 用的?是?(?=什么|啥|哪)`,
      )}|(?<=\\b(?:what|which)\\b.*)\\b(?:won|(?<=\\b(?:we|i) )(?:use|using))\\b`,
      'g',
    ),
  },
  {
    term: '§outcome',
    line: new RegExp(anyOf(done)),
    asked: new RegExp(anyOf(done, 'fix solve resolve finish complete done renew release merge 修了 办好 弄好'), 'g'),
  },
]
/** A reference to a matter without its name: "the database thing", 那个数据库的事. Of a matter, decisions are remembered. */
const vague = new RegExp(
  [
    '(?<=\\w )(?:things?|stuff|matter|business)(?=\\W*$)',
    '(?<=\\b(?:the|that|this) )(?:things?|stuff|matter|business)(?= (?:with|about)\\b)',
    '的?(?:那件|那个|这件|这个)?(?:事情|事儿|事|东西)(?=\\W*$)',
  ].join('|'),
  'g',
)
/** "What happy things did I do" asks for things. */
const questionWord = /\b(?:what|which|who|when|where|why|how)\b|什么|哪|谁|怎|几|多少|为何/
export const openTermOf = (term: string): string => `${term}?`

/** Returns the terms of the kinds of a line. @param heading titles of the headings above */
export function lineKindsOf(text: string, heading: string): string[] {
  const title = heading.split(headingSeparator).at(-1) ?? ''
  return kinds.flatMap(({ term, line, open, heading: titles }) => {
    const rest = open ? text.replace(open, '') : text
    if (rest !== text) return line.test(rest) ? [] : openTermOf(term)
    return titles?.test(title) || line.test(text) ? term : []
  })
}

/**
 * Returns the words of a question that ask for a kind of lines, with its term. Offsets are UTF-16; `end` is exclusive.
 * `isVague` words say nothing besides.
 */
export function findKindWords(text: string) {
  const find = (pattern: RegExp, term: string, isVague: boolean) =>
    Array.from(text.matchAll(pattern), ({ 0: { length }, index }) => ({
      start: index,
      end: index + length,
      term,
      isVague,
    }))
  const asked = kinds.flatMap((kind) => find(kind.asked, kind.term, false))
  return questionWord.test(text) ? asked : [...asked, ...find(vague, kinds[0]?.term ?? '', true)]
}
