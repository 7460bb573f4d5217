/**
 * Decides what a sentence is: a question or a request to recall something, a report that nothing was found, or another
 * statement. A request to save something ("could you note that …?") is a statement.
 */
import { simplify } from '#shared/util/han.ts'
import { cjkRun } from '../terms.ts'
import { anyOf, chineseWeekday, englishNumbers, hasAnyOf } from './words.ts'

const abbreviations = String.raw`[Mm]rs? [Mm]s [Dd]r [Pp]rof [Ss]t [Nn]o [Nn]r [Vv]s [Ee]tc e\.g i\.e z\.B [Aa]pprox [Ii]nc [Ll]td
  [JjSs]r (?!I)\p{Lu}`
const fullStop = `(?<!(?:\\b|_)(?:${abbreviations.replace(/\s+/g, '|')})|^\\s*(?:[-*+]\\s+)?\\d{1,3})\\.`
/** A lower-case letter after a closing quotation mark continues the sentence: `"Where?" she asked`. */
const latinEnd =
  `(?:[!?…]|${fullStop})[.!?…]{0,9}[)\\]*_]{0,9}` +
  `(?:\\s+|$|(?=${cjkRun.source})|["'”’»][)\\]*_]{0,9}(?:\\s+(?!\\p{Ll})|$))`
const sentenceEnd = new RegExp(`${latinEnd}|[。！？]+[」』”’）]*\\s*`, 'gu')

export function sentencesOf(line: string): string[] {
  const sentences: string[] = []
  let from = 0
  for (const match of line.matchAll(sentenceEnd)) {
    const to = match.index + match[0].length
    sentences.push(line.slice(from, to))
    from = to
  }
  if (from < line.length) sentences.push(line.slice(from))
  return sentences
}

/** Texts are compared in this form: `?` and `:` stand for their full-width forms too. */
function folded(text: string): string {
  return simplify(text.normalize('NFKC')).replaceAll('’', "'").toLowerCase().replace(/\s+/g, ' ').trim()
}

const wish = "(?:i(?:'d|_would|_just)?|we)_(?:want|need|like)"
const politeOpenings = `hi hey hello ok okay so and but also then now well oh uh um right fyi please pls plz kindly btw by_the_way
  actually just again thanks thank_you there (?:can|could|would|will)_(?:you|u)(?:_mind)? ${wish}_you_to help_me`
/** Greetings, links to the sentence before, and polite words. */
export const englishOpenings = `${politeOpenings} ${wish}_to let's let_me`
const opening = new RegExp(`^(?:${anyOf(englishOpenings)}[\\s,.:!-]*)+`)
const politeOpening = new RegExp(`^(?:${anyOf(politeOpenings)}[\\s,.:!-]*)+`)
export const englishQuestionWord = "(?:what|who|whom|whose|when|where|wh?ich|why|how)(?:'?s)?"
const auxiliary = `(?:${anyOf(
  `is are was were am do does did have has had can could should would will shall may might must
  isn't aren't wasn't weren't don't doesn't didn't haven't hasn't can't won't`,
)})`
const person = anyOf('i you u we they he she it there any\\w*')
const subject = anyOf(
  'this that these those some\\w* my your our his her their the',
  'i you we they he she it there any\\w*',
)
const note = '(?:my|our|the|all|any\\w*|every\\w*|notes?|chats?|memory|info\\w*|mentions?)'
const lookUp = anyOf('find recall retrieve look_up look_for search check list read open quote summari[sz]e see')
const know =
  "(?:i (?:wonder|forgot|forget)|(?:can't|cannot|don't|do not|trying to) (?:recall|remember|know)|no idea|not sure)"
const ifOrWhat = `(?:${englishQuestionWord}|if|whether)`

const englishRequests = [
  // "who serviced the boiler", "which shop repaired the bike"
  "^(?:who|whom|whose|wh?ich)(?:'?s)?\\b(?! cares\\b)",
  // "what did I say", "how many eggs do we need"
  `^(?!when )${englishQuestionWord}(?! ${subject})(?: [^\\s,]+){0,6}? ${auxiliary}|^when ${auxiliary}`,
  "^(?:what|who|where|when|how)'?s\\b|^(?:what|how) about\\b",
  '^(?:at|by|for|from|in|on|since|to|until|with) (?:what|when|which|whom)\\b',
  `[,:;] (?:so |and |but )?(?:what|how|why)(?:'s| ${auxiliary})`,
  `^(?:is|are|was|were|am|does|has|isn't|aren't|wasn't|doesn't|hasn't) ${subject}`,
  '^(?:is|are|does) (?!not\\b|\\w+(?:ed|ing)\\b)\\w+ \\w',
  `^(?:do|did|have|had|can|could|should|would|will|shall|may|might|don't|didn't|haven't|can't) ${person}`,
  `^(?:tell|show|give|get) me\\b(?! to\\b)|^(?:know|see|find out) (?:about|my|all|${ifOrWhat})\\b`,
  `^remind me (?:again )?(?:of|about|${ifOrWhat})\\b`,
  `^${lookUp} (?:me |for |in |through |up |out )*(?:${note}|${ifOrWhat})\\b`,
  '^(?:search|look) (?:for|in|through|up)\\b|^any(?:thing)? (?:about|on|notes?|info\\w*)\\b',
  `\\b${know} (?:${ifOrWhat}|the name)\\b`,
]
const isEnglishRequest = new RegExp(englishRequests.join('|'))
/** Unlike "I want to show the flat to Ann". */
const showRequest = new RegExp(`^(?:show|display) ${note}\\b|^(?:find|search) (?!an?\\b)`)
/** "what I said about Anna", unlike "what I like most is tea" and "what a day". */
const openQuestion = /^(?:what (?!an?\b)|(?:where|why|how) (?:i|we|you|he|she|they|it|my|our|the)\b)/
const mainClause = /,|\S+ \S+ \S+ .*\b(?:is|are|was|were|will|makes?|made)\b/

const englishSave = new RegExp(
  `^${anyOf(
    `remember note save store record log memori[sz]e (?:write|jot|put|take)_(?:(?:this|that|it)_)?down make_a_note
    take_(?:a_)?note add (?:keep|bear)_in_mind remind_me (?:don't|do_not|never)_forget`,
  )}`,
)
const politeQuestion = /\b(?:can|could|would|will) (?:you|u)\b/
const savedContent = /^[^?]{0,40}?(?:\bthat\b|\bto\b|:)/
const lookup = new RegExp(
  `^(?:remember|note|remind me|don't forget)\\b(?: me| again|,)*(?: about| of)? ${englishQuestionWord}\\b`,
)

function asksInEnglish(text: string, isQuestion: boolean): boolean {
  const rest = text.replace(opening, '')
  if (lookup.test(rest) && !rest.includes(':')) return true
  if (englishSave.test(rest) && !isEnglishRequest.test(rest))
    return isQuestion && !politeQuestion.test(text) && !savedContent.test(rest.replace(englishSave, ''))
  if (isQuestion || isEnglishRequest.test(rest) || isEnglishRequest.test(text)) return true
  if (showRequest.test(text.replace(politeOpening, ''))) return true
  return openQuestion.test(rest) && !mainClause.test(rest)
}

/** Question words, except in phrases that ask nothing: 什么都. */
const asksWord = hasAnyOf(`什么(?![都也的]) 甚么 啥(?![都也]) 谁(?![都也]) 哪(?![怕都也]) 干嘛 咩 边度 点解
  (?<![好十])几(?!乎|(?:天|周|年|个月|小时|分钟|次)[之以]?[前后来]) (?<![很太好最更许])多(?:[少久大长远重]|高(?!兴))
  怎么(?![都也]) 怎样 如何 何时 何处 为何 是不是 有没有 有无 能不能 会不会 要不要 记不记得 对不对`)
const isChineseRequest = new RegExp(
  [
    '^.{0,6}[帮给替]我[查找搜看](?!.{0,4}了)|了没有?$|是.{0,4}什么的$|还记得|来着$|^[^在还着正]{1,8}呢$',
    `(?:[\\da-z周月点午日号.]|${chineseWeekday})还是[^,。]{1,12}$`,
    `^${anyOf('请问 查找? 查一?下 搜索? 搜 找一下 找找 找出 告诉我 跟我说说? 给我看 列出 显示(?![器屏卡问结正]) 看看 看一下 回忆 提醒我一下 我?想问 我?想知道')}`,
  ].join('|'),
)
const chineseOpening = new RegExp(
  `^(?:${anyOf('你好 您好 嗨 好的? 那么? 对了 请 麻烦 拜托 你 您 能不能 可不可以 能否 可以 能 帮我 帮忙 替我 给我')}|[\\s,。!])+`,
)
const chineseSave =
  /^(?:记(?:住|下|一下|录|个|着|:)|备忘|别忘了?|不要忘了?|存一下|保存|写下|把.+记(?:下|住|录|到|在)|记得(?!.*吗))/
const chinesePolite = /[,\s]*(?:好吗|可以吗|行吗|好不好|可不可以|吗)$/
/** Words after which a question word does not ask. */
const chineseAnyhow = /不管|无论|不论|^我?(?:知道|明白|清楚|想起)/

function asksInChinese(text: string, isQuestion: boolean): boolean {
  const plain = text.replace(/[\s?!。~…]+$/, '').replace(/(?<=[吗呢么])[啊呀呢]$/, '')
  const rest = plain.replace(chineseOpening, '')
  if (chineseSave.test(rest)) return asksWord(rest.replace(chinesePolite, ''))
  if (isQuestion || /[吗嘛]$/.test(plain) || isChineseRequest.test(rest) || isChineseRequest.test(plain)) return true
  return asksWord(plain) && !chineseAnyhow.test(plain)
}

/** The rest of a noun that begins with a verb: 翻译费, 显示器. */
const nounEnding = new RegExp(
  `^${anyOf(`费(?!用) 稿(?!件) [件器屏者师率室式码键班] 机(?![会遇制票场构]) 员(?!工) 家(?![庭里人]) 权(?![利力限]) 卡(?!路)
    课(?![文本程]) 法(?!律) 信(?=[^件息]) 题(?=[^目]) 单(?=[^词]) [书表](?=.) 大?会(?!议) 软件 工具`)}`,
)
/** 显示器坏了, 总结改到周四. */
const isTold = /[是姓叫归]|已经|负责|[改推提]到|了(?![的解])|\d ?[块元]/

/**
 * Returns true if the verb of a request is the first part of a noun: 翻译费多少, 翻译费每页80元. After the verb of a
 * request, an object or a question word follows: 解释什么是熵. @param rest the folded text after the verb
 */
export function isPartOfNoun(rest: string): boolean {
  if (!/^(?![这那一几个以上下掉了成为到什怎如哪谁何我你])\p{Script=Han}/u.test(rest)) return false
  const [clause = ''] = rest.split(/[,:。;]/)
  const isStated = isTold.test(clause) && !asksWord(clause)
  return nounEnding.test(clause) || isStated || isRequest(rest.replace(/[吗?\s]+$/, ''))
}

/** The message has the text that these verbs need, and the user does not state what it says. */
const rework = {
  english: 'translate rewrite rephrase paraphrase reword proofread summari[sz]e shorten turn_.{3,40}_into',
  chinese: `翻译 改写 重写 扩写 缩写 续写 润色 校对 总结 概括 归纳 把.{1,40}(?:翻译|译|改写|缩写|润色|总结|整理)(?:成|为|一下|得)
    用.{1,8}(?:翻译|改写|总结|概括)`,
}
const taskVerbs = {
  english: `explain elaborate brainstorm generate calculate compute convert define describe analy[sz]e compare suggest recommend
    simplify pretend imagine suppose act_as come_up_with think_of_(?:an?|some)`,
  chinese: `起草 草拟 撰写 解释 分析 列举 给出 生成 换算 计算 扮演 假设 想象 继续[写说讲] 再来一 跟我[讲聊] 教我(?!的) [起取].{0,3}名
    列出(?=[\\d一二两三四五六七八九十几]) 用.{1,8}(?:回答|回复|解释|介绍|描述|写一|说一|讲一) 比较(?=.{1,10}[和与跟])
    讲讲 说说 聊聊 想想 算算 做(?=一?[份张]) 写(?=邮件|信(?![箱用])|诗|作文|文章|文案|代码|故事)`,
}
const count = `\\d+ ${englishNumbers.join(' ')} an? some another`
const isEnglishTask = new RegExp(
  [
    `^${anyOf(rework.english, taskVerbs.english)}`,
    // "Write the minutes", unlike "Draft beer costs 5 euros" and "Make the bed".
    `^${anyOf('write draft compose create draw sketch outline')} ` +
      anyOf(`${count} the my our your this that these those it all both more me us something what how`),
    `^${anyOf('make plan format sort rank count')} ${anyOf('me us it this that these those')}|^plan ${anyOf(count)}`,
    `^${anyOf('list name tell show')} (?:(?:me|us) )?${anyOf(`${count} a_few`)}(?! (?:bit|lot)\\b)`,
    `^${anyOf('write draft compose create make')} (?:\\w+ ){0,2}?` +
      anyOf('e-?mail letter message poem haiku story essay table list summary reply post speech outline script code'),
    `^${anyOf("it(?:'d|_would)_be_(?:great|nice|good|helpful)_if_you i(?:'d|_would)_appreciate one_(?:more_)?version")}`,
    `^${anyOf('a_bit_(?:shorter|longer) more_about try_again bitte')}|^(?:go on|continue)\\W*$`,
    `^${anyOf('(?:schreib|erklär|mach|gib|zeig|empfiehl)e?_(?:mir|es|das|eine?n?)')}`,
    `^(?!.*${anyOf('is are was were has have')}).*${anyOf('please pls')}[\\s.!]*$`,
  ].join('|'),
)
const chineseTaskStart = '^(?:再|先|来|快|直接)*'
const someOf = '(?:一下|一?[首篇封段张幅份条句则部本套些点家款道]|[一几两二三四五六七八九十\\d]+个(?!人)|个|几)'
const chineseTaskVerb = new RegExp(
  `${chineseTaskStart}(?:${anyOf(rework.chinese, taskVerbs.chinese)}|` +
    `${anyOf('写 画 编 讲 列 举 想 推荐 介绍 说明 描述 设计 规划 制定 比较 对比 说')}(?=${someOf}))`,
)
/** 帮我订位, unlike 帮我妈订位 and 给我的车换胎. */
const chineseAsk = new RegExp(
  '^(?:[你您请能\\s!]|麻烦|拜托|能不能|可不可以|能否|可以)*(?:[帮替给为]我(?!们?[妈爸哥姐弟妹爷奶儿女老外舅叔姨姑家的同朋])|' +
    '帮忙|(?:麻烦|拜托)[你您把]|请(?![了过假客教病老小同]|.{0,4}吃饭))',
)

function isChineseTask(text: string): boolean {
  const clauses = text.split(/[,:。;]/).map((part) => ({ part, rest: part.replace(chineseOpening, '') }))
  const { part, rest } = clauses.find((clause) => clause.rest !== '') ?? { part: '', rest: '' }
  if (chineseSave.test(rest)) return false
  const after = rest.replace(chineseTaskVerb, '')
  const isDone = /^[了完过好]/.test(after) || (isTold.test(after) && !/^[我你]/.test(after) && !asksWord(after))
  if (after === rest) return chineseAsk.test(part) && !isDone && !isChineseRequest.test(part)
  return !isDone && !isPartOfNoun(text.slice(text.indexOf(rest) + rest.length - after.length))
}

/** Returns true for a request to do something other than recall or save: it states nothing about the user. */
export function isTask(sentence: string): boolean {
  if (sentence.length > maxSentence) return false
  const text = folded(sentence)
  if (hangul.test(text)) return !koreanSave.test(text) && /(?:해\s?줘요?|주세요|부탁\S{0,6})[\s.!~]*$/.test(text)
  if (kana.test(text))
    return !japaneseSave.test(text) && /(?:ください|下さい|お願い(?:し|いたし)ます)[\s。.!~]*$/.test(text)
  return isEnglishTask.test(text.replace(politeOpening, '')) || (han.test(text) && isChineseTask(text))
}

const isRework = new RegExp(`${chineseTaskStart}${anyOf(rework.english, rework.chinese)}`)

/** Returns true if a message hands over a text, such as one to translate. What the text says is no statement. */
export function handsOverText(message: string): boolean {
  const tasks = message.split('\n').flatMap(sentencesOf).filter(isTask).map(folded)
  return tasks.some((text) =>
    [politeOpening, chineseOpening].some((start) => text.endsWith(':') || isRework.test(text.replace(start, ''))),
  )
}

const japaneseSave = /覚えて(?:おいて|て)|メモして|記録して|書き留めて|保存して|忘れないで/
const japaneseRequest = new RegExp(
  [
    '(?:名前|番号|日|時間|場所|理由)は$|か(?:な|しら)$|(?:だ|た|でし|まし)っけ$',
    '(?:ます|です|ました|でした|ません|でしょう|だろう|だった|った|[いしべけ]た|なの|るの|たの)か(?:な|ね)?$',
    '(?:誰|だれ|どこ|いつ|何|なに|いくら|いくつ|どれ|どう|なぜ)(?:だった|だ|です|でした|なの)?$',
    '(?:何(?![度と人回年]か?)|誰[がをにとの]|どこ[にでへを]|どの|いつ|どうやって|なぜ)(?!も|でも|か|の間)',
    '(?:教えて|調べて|探して|検索して|見せて|思い出して)(?:ください|下さい|くれ|ほしい|欲しい|ね|よ)?$',
  ]
    .map(simplify)
    .join('|'),
)

const koreanSave = /(?:기억해|적어|메모해|기록해|저장해)\s?(?:줘|주세요|주십시오|둬|두세요|놔|줄래|주시|주실)/
const koreanRequest = new RegExp(
  [
    '까$|(?<![머언])니$|(?:있|없|하|되|인|하시|계시)나요$|(?:인|은|는|건|던|한|된|운)가요?$',
    '(?:알려|말해|찾아|검색해|보여|읽어|떠올려)\\s?(?:줘|주세요|줄래|주십시오|봐|봐줘|보세요)(?:요)?$',
  ].join('|'),
)
/** Endings after a verb in the past tense, whose last syllable ends in ㅆ. */
const koreanPastQuestion = new RegExp(`\u11bb(?:${'나요|더라'.normalize('NFD')})$`)
const koreanQuestionWord = new RegExp(
  `${anyOf('뭐 뭘 무엇 무슨 누구 누가 어디 언제 얼마 왜 어떻게 어느 어떤 몇')}` +
    '(?!나|든|냐하면)(?!\\s?\\S+\\s(?:전|후|동안))\\S*(?:\\s\\S+){0,2}$',
)
const koreanQuestionEnd = /(?:야|지|지요|죠|요|어|아|해|나|가|래|뭐|누구|어디|언제|얼마|왜)$/

function asksInKorean(text: string, isQuestion: boolean): boolean {
  const plain = text.replace(/[\s?!.…~]+$/, '')
  if (isQuestion || koreanRequest.test(plain) || koreanPastQuestion.test(plain.normalize('NFD'))) return true
  return koreanQuestionWord.test(plain) && koreanQuestionEnd.test(plain)
}

/** In characters. Longer texts without sentence ends are pasted; the limit also bounds the time of the patterns. */
const maxSentence = 2000
const hangul = /\p{Script=Hangul}/u
const kana = /[\p{Script=Hiragana}\p{Script=Katakana}]/u
const han = /\p{Script=Han}/u

/** Returns true for a question and for a request to recall something. */
export function isRequest(sentence: string): boolean {
  if (sentence.length > maxSentence) return false
  const text = folded(sentence)
  const isQuestion = isQuestionMarked(sentence)
  if (hangul.test(text)) return !koreanSave.test(text) && asksInKorean(text, isQuestion)
  if (kana.test(text))
    return !japaneseSave.test(text) && (isQuestion || japaneseRequest.test(text.replace(/[\s?!。…~]+$/, '')))
  return han.test(text) ? asksInChinese(text, isQuestion) : asksInEnglish(text, isQuestion)
}

const questionEnd = /\?[?!)\]}」』*_\s\p{Extended_Pictographic}\p{Variation_Selector}\u200d]*(["'”’]?)[\s.。]*$/u
/** A remark on an image. */
const remark = /\s*\[[^[\]]*\]\s*$/

/** Returns true if a sentence ends with a question mark that is not part of a quotation. */
export function isQuestionMarked(sentence: string): boolean {
  if (sentence.length > maxSentence || !/[?？]/.test(sentence)) return false
  const text = folded(sentence.replace(remark, ''))
  const end = questionEnd.exec(text)
  return end !== null && (end[1] === '' || /^["'“‘]/.test(text))
}

/**
 * Returns the statement before the question of one sentence: "I moved to Bern, where was my old flat?". Empty if there
 * is none. Only clauses about the speaker count, because other clauses are mostly conditions and subjects.
 */
export function statementBefore(sentence: string): string {
  const english = /^(.*\S)\s*[,;–—]\s*(?:(?:so|and|but|then)\s+)?(.+)$/su
  for (const pattern of [english, /^(.*\S)\s*[，,；;]\s*(.+)$/su]) {
    const [, statement = '', question = ''] = pattern.exec(sentence.trim()) ?? []
    const isAboutSpeaker = /^(?:i|we)\b(?:\s+\S+|'\S+){3}|^我们?.+了/.test(folded(statement))
    if (isAboutSpeaker && isRequest(question) && !isRequest(statement)) return statement
  }
  return ''
}

const results =
  '(?:results?|notes?|matches|mentions?|records?|entries|entry|information|info|references?|trace|memory|memories)'
const memory = '(?:notes?|memory|memories|logs?|chats?|conversations?|records?)'
const found = anyOf(`found find see have there(?:_i|')s there_are there_was there_were returned turned_up came_up_with`)
const cannot = anyOf(
  `could_not couldn't can't cannot can_not didn't did_not don't do_not wasn't_able_to was_not_able_to unable_to`,
)
const nothingFound = new RegExp(
  [
    `${found} (?:absolutely )?(?:nothing|no (?:\\w+ ){0,3}${results})\\b(?! wrong| better| else to do)`,
    `${cannot} (?:seem to )?(?:find|locate|see|recall|have)\\b.{0,60}` +
      `\\b(?:any|anything|saved|stored|it|that|this|${memory}|${results})\\b`,
    `\\b${memory}\\b.{0,30}\\b(?:do|does|did)(?: not|n't) ` +
      '(?:seem to )?(?:mention|say|contain|have|include|cover|show|record)\\b',
    `\\b(?:nothing|no ${results}|none of (?:your|the) (?:notes?|results?))\\b.{0,60}` +
      `\\b(?:notes?|memory|memories|logs?|chats?|came up|was found|were found|mentions?|match(?:es|ed)?|about (?:it|that|this))\\b`,
  ].join('|'),
)
const chineseNothingFound = new RegExp(
  [
    '(?:没有?|未能?|无法)(?:能够?)?(?:在.{1,12})?(?:找到|查到|搜到|搜索到|检索到)|(?:找|查|搜)不到',
    '(?:没有|无)(?:任何|什么)?(?:相关|有关|关于|匹配|对应|提到|提及|记录|记载|写)',
    '(?:笔记|记忆|日志|记录|对话)(?:里面?|中|上)?(?:也|都|并|完全)?(?:没有?|未)',
  ].join('|'),
)
const japaneseNothingFound = new RegExp(
  [
    '見つか(?:りません|らな)|見つけられ(?:ません|な)|見当たり?(?:ません|らな)',
    '(?:記録|メモ|情報|ノート|結果|記憶|記載)(?:は|が|も|に)?.{0,12}' +
      '(?:ありません|残っていません|ない(?:です|ようです)?|なかった)',
  ]
    .map(simplify)
    .join('|'),
)
const koreanNothingFound =
  /찾(?:을 수 없|지 못|을 수가 없)|(?:기록|메모|정보|결과|노트|내용|기억)\S{0,3}\s?(?:\S+\s){0,2}(?:없(?:습니다|어요|네요|었)|나와 있지 않)/

/** Returns true for a sentence that says that the memory has nothing about a subject. */
export function saysNothingFound(sentence: string): boolean {
  if (sentence.length > maxSentence) return false
  const text = folded(sentence)
  if (hangul.test(text)) return koreanNothingFound.test(text)
  if (kana.test(text)) return japaneseNothingFound.test(text)
  return han.test(text) ? chineseNothingFound.test(text) : nothingFound.test(text)
}
