import {
  anyOf,
  asksAhead,
  datedNote,
  type DaySpan,
  englishOpenings,
  englishQuestionWord,
  isPartOfNoun,
  isRequest,
  isTask,
  parseDay,
  parseTemporalExpressions,
  queryTerms,
  sentencesOf,
  simplify,
} from '#search/text'
import { countCjk } from '#shared/util/tokens.ts'

export type Intent =
  | { readonly kind: 'remember'; readonly text: string; readonly isReminder: boolean }
  /** List the notes of these days, both inclusive. */
  | ({
      readonly kind: 'period'
      /** True for a question about plans. */
      readonly isPlan: boolean
      /** The user's words for them. */
      readonly words?: string
      /** Another day that the words can mean. */
      readonly other?: number | undefined
    } & DaySpan)
  /** "Don't note that"; `isAboutEarlier`: it refers to the message before it. */
  | { readonly kind: 'optOut'; readonly isAboutEarlier: boolean }
  /** `help`: a greeting, or a request for a language model. `keywords`: searched in a chat, noted by a memory flush. */
  | { readonly kind: 'help' | 'change' | 'statement' | 'question' | 'keywords' }

/** In characters. A request precedes the long text that it is about, so the first characters decide. */
const maxParsedLength = 1000

/** @param today `YYYY-MM-DD`, the base of "yesterday" and "last week"; by default any day, for intents without times */
export function parseIntent(message: string, today = '1970-01-01'): Intent {
  const trimmed = message.trim()
  const intent = parseStart(trimmed.slice(0, maxParsedLength), today)
  if (intent.kind !== 'remember') return intent
  return { ...intent, text: (intent.text + trimmed.slice(maxParsedLength)).trim() }
}

const ownReminder = /^(?:to )?remind me (?:to )?|提醒(?:一下)?我/i

/** Returns the note that a request asks for, with dates for its relative times. @param today `YYYY-MM-DD` */
export function requestedNote({ text, isReminder }: Extract<Intent, { kind: 'remember' }>, today: string): string {
  if (!isReminder) return datedNote(text, today)
  // "Tomorrow (2026-11-18) to call Ann"
  return datedNote(text.replace(ownReminder, ''), today, true).replace(/^([^()]*\([\d –-]+\)|every \w+) to /i, '$1: ')
}

/** Returns a message as the app saves it: the text of a request to remember, with dates for its relative times. */
export function noteOf(message: string, today: string): string {
  const intent = parseIntent(message, today)
  return intent.kind === 'remember' ? requestedNote(intent, today) : datedNote(message, today)
}

/** Returns false for very short texts and 30 equal letters in a row; a CJK character counts as two Latin letters. */
export function isSubstantial(text: string): boolean {
  return text.length + countCjk(text) >= 8 && !/(\S)\1{29}/.test(text)
}

function parseStart(raw: string, today: string): Intent {
  if (!/[\p{L}\p{N}]/u.test(raw)) return { kind: /[?？]/.test(raw) ? 'question' : 'help' }
  const text = normalize(raw)
  // Chinese messages often contain English words.
  const languages = /\p{Script=Han}/u.test(raw) ? [chinese, english] : [english]
  for (const parse of [parseSmallTalk, parseOptOut, parseRemember, parsePeriod]) {
    for (const patterns of languages) {
      const intent = parse(text, patterns, raw, today)
      if (intent) return intent
    }
  }
  const matches = (name: 'change' | 'statement') =>
    languages.some((patterns) =>
      startPositions(text, patterns).some((start) => {
        const part = text.slice(start)
        return patterns[name].test(part) && (name === 'statement' || !isPartOfNoun(part.replace(patterns[name], '')))
      }),
    )
  if (matches('change')) return { kind: 'change' }
  const isGreeting = (sentence: string) => languages.some(({ smallTalk }) => smallTalk.test(trimPunctuation(sentence)))
  const sentences = sentencesOf(text).filter((sentence) => !isGreeting(sentence))
  if (isTask(sentences[0] ?? '')) return { kind: 'help' }
  if ([sentences[0], sentences.at(-1)].some((sentence = '') => isRequest(sentence))) return { kind: 'question' }
  return { kind: matches('statement') ? 'statement' : 'keywords' }
}

/** Returns what a correction states: "correction: …", 更正：… */
export function correctionIn(message: string): string | undefined {
  return /^\s*(?:correction|corrected|[更订訂勘]正|勘[误誤])\s*[:：]\s*(\S[^]*)/i.exec(message)?.[1]
}

/** Keeps the length, so that positions are the same in the result and in the original. */
function normalize(raw: string): string {
  const plain = raw
    .replace(/[！-～]/g, (letter) => String.fromCharCode(letter.charCodeAt(0) - 0xfee0))
    .replaceAll('　', ' ')
    .replaceAll('’', "'")
    .replace(/\p{Extended_Pictographic}|\p{Emoji_Modifier}|\p{Variation_Selector}|\u200d/gu, (emoji) =>
      ' '.repeat(emoji.length),
    )
  return simplify(plain)
}

function trimPunctuation(text: string): string {
  return text.replace(/^[\s,.!]+|(?:[\s.!。,、~…?]|[:;]-?[)(DPp])+$/g, '')
}

/** Returns the start of the message and the position after each opening, such as "hi" and "could you please". */
function startPositions(text: string, { opening }: Patterns): number[] {
  const positions = [text.search(/[^\s,.!。、]/)]
  for (;;) {
    const from = positions.at(-1) ?? 0
    const length = opening.exec(text.slice(from))?.[0].length ?? 0
    if (length === 0) return positions
    positions.push(from + length)
  }
}

function parseSmallTalk(text: string, { smallTalk }: Patterns): Intent | undefined {
  const sentences = text.split(/[.!?。\n]+/).map(trimPunctuation)
  return sentences.every((sentence) => sentence === '' || smallTalk.test(sentence)) ? { kind: 'help' } : undefined
}

function parseOptOut(text: string, patterns: Patterns): Intent | undefined {
  const isOptOut = (part: string) => patterns.optOut.test(trimPunctuation(part))
  const optOutText = startPositions(text, patterns)
    .map((start) => text.slice(start))
    .find(isOptOut)
  const otherParts = optOutText?.split(/[,:;.!、。\n–—]+/).filter((part) => !isOptOut(part))
  return otherParts && { kind: 'optOut', isAboutEarlier: !otherParts.some((part) => isSubstantial(part.trim())) }
}

/** Signs at the end of a password can be a part of it. */
const secretEnd = /(?:密码|口令|\b(?:pin|code|pass(?:word|code|phrase))\b).*[\d#$%&*@^][\x21-\x7e]*?([!?]+)\s*$/is
const emojiAtEnd = /[\p{Extended_Pictographic}\p{Emoji_Modifier}\p{Variation_Selector}\u200d]+\s*$/u
const sentenceEnd = /^[\p{Extended_Pictographic}\p{Emoji_Modifier}\p{Variation_Selector}\u200d\s.!?…~。！？～]*/u
/** The question mark of "can you remember …?" ends the request, not the note. */
const politeQuestion = /\b(?:can|could|would|will)\b|[可能]/i

/** A note that starts like this is a question: "remember where …". */
const lookup = new RegExp(
  `^(?:(?:me|us|again),? |, ?)*(?:${englishQuestionWord}|if|whether|anything|something|` +
    'the (?:name|time|day|date|thing|place|person|one|way|guy))\\b',
  'i',
)

/** Returns the kind `question` for texts such as "remember when we …". */
function parseRemember(whole: string, patterns: Patterns, raw: string): Intent | undefined {
  const [secret, signs = ''] = secretEnd.exec(whole) ?? []
  const message = secret === undefined ? whole : whole.slice(0, whole.trimEnd().length - signs.length)
  for (const start of startPositions(message, patterns)) {
    const text = message.slice(start).replace(/[\s.!。~]+$/, '')
    const match = patterns.remember.map((pattern) => pattern.exec(text)).find((result) => result !== null)
    if (!match) continue
    const note = match.groups?.['text'] ?? ''
    const textStart = start + match[0].lastIndexOf(note)
    // `normalize` has replaced the emoji by spaces.
    const noteStart = textStart - ((note && emojiAtEnd.exec(raw.slice(0, textStart))?.[0])?.length ?? 0)
    const isPolite = start > 0 && /[?吗么]\s*$/.test(message.slice(0, noteStart))
    const hasColon = /:\s*$/.test(message.slice(start, noteStart))
    if ((lookup.test(note.trim()) || isRequest(note.replace(/[\s?]+$/, ''))) && !isPolite && !hasColon)
      return { kind: 'question' }
    const noteEnd = textStart + note.length
    const rest = raw.slice(noteEnd)
    const end = noteEnd === start + text.length ? rest : sentenceEnd.exec(rest)?.[0]
    const typed = note.trim() === '' ? '' : raw.slice(noteStart, noteEnd) + (end ?? '')
    const isAsked = signs === '' && politeQuestion.test(message.slice(0, start))
    const saved = isAsked ? typed.replace(/[?？]\s*$/, '') : typed
    if (/\b(?:reminder|alarm)\s+for\s+$/i.test(message.slice(start, noteStart)))
      return { kind: 'remember', text: `Reminder: ${saved}`, isReminder: true }
    const isReminder =
      patterns.reminder.test(`${message.slice(0, noteStart)} ${message.slice(noteEnd)}`) || ownReminder.test(note)
    return { kind: 'remember', text: saved, isReminder }
  }
  return undefined
}

/** "Show yesterday", unlike "when is the show on Friday". */
const showVerb = '(?<!\\b(?:the|an?)_)\\bshow\\b'
const listRequest = new RegExp(
  anyOf(`what.?s? summar[iy]\\w* sum_up recap review list ${showVerb} tell give anything everything notes? logs? entries journal
    plans? planned appointments? due free busy schedule agenda upcoming coming_up have_(?:to|on)
    什么 甚么 啥 哪些 干嘛 安排 计划 日程 待办 有空 总结 整理 回顾 复盘 看 显示 列出 [记纪]录 日志 日记 笔记 怎么样 概括 汇总`),
  'i',
)
/** Words about a log besides those that queries ignore: "what did I note last week". */
const logWords = new RegExp(
  anyOf(`notes? noted logs? logged entries entry journal diary record(?:ed)? save[ds]? write wrote written work(?:ed|ing)? talked
    plans? planned appointments? due free busy schedule agenda upcoming coming up need must
    安排 计划 日程 待办 有空 要紧 要 做
    summari[sz]e summary sum recap review over stuff doing during days? talk told happen(?:s|ed)? going been list ${showVerb} give anything everything
    咱们? 今天 忙 聊 谈 讲 讨论 写 些 记 说 做 干嘛 嘛 活动 工作 日志 日记 笔记 [记纪]录 发生 过得 总结 整理 回顾 复盘 概括 汇总 查看 看看? 显示 列出
    怎么样 那天 当天 所有 全部 事情? 东西 内容 情况 提到? 记下 告诉 哪些 [啊哈呀哦喔呢吧~]`),
  'gi',
)

/** Days that are listed of a span without a beginning or an end. */
const openDays = 365
const timePrepositions = /\b(?:between|from|until|till|by|before|after|since|over|during)\b|之前|以前|之后|以后|截至/gi

/** Matches a message that names a time and otherwise only asks for the log or for plans. */
function parsePeriod(message: string, _patterns: Patterns, _raw: string, today: string): Intent | undefined {
  const now = parseDay(today)
  const [span, ...others] = parseTemporalExpressions(message, now)
  if (!span || others.length > 0) return undefined
  const isPlan = asksAhead(message)
  const { text, other } = span
  const first = Number.isFinite(span.first) ? span.first : isPlan ? now : span.last - openDays
  const isAhead = isPlan || first > now
  const end = Number.isFinite(span.last) ? span.last : isAhead ? first + openDays : now
  const last = isAhead ? end : Math.max(first, Math.min(end, now))
  const textWithoutTime = message.replace(text, ' ').replace(timePrepositions, ' ')
  const otherWords = queryTerms(textWithoutTime.replace(logWords, ' '))
  const isOnlyTime = trimPunctuation(textWithoutTime) === ''
  if (first > now && !isOnlyTime && !isPlan) return undefined
  const asksForLog = listRequest.test(textWithoutTime) || isOnlyTime
  if (!asksForLog || otherWords.some(({ role }) => role !== 'function')) return undefined
  // Without the question, a day without a year can be another one.
  const [alone] = parseTemporalExpressions(text, now)
  const words = alone?.first === first && alone.last === last ? { words: text } : {}
  return { kind: 'period', first, last, isPlan, other, ...words }
}

const saveAtStart = anyOf(
  `(?:(?:always|also)_)?rem\\w{0,4}ber (?:do_not|don'?t|never)_(?:ever_|let_me_)?forget note_to_self remind_me memori[sz]e for_the_record
  not(?:e|ing)(?!_?s\\b|_about\\b|_on\\b|_from\\b|_taking\\b|_to_self\\b)
  (?:write|jot|writ?ing|jotting|take|get|put)_(?:(?:this|that|it)_)?down
  (?:make|take|add|leave|set|create)_(?:me_)?an?_(?:mental_)?(?:note|memo|reminder|alarm)
  (?:keep|bear)(?:_this|_that|_it)?_in_mind
  (?:save|log|record|store|capture)(?=_(?:this|that|the_following|it)\\b|:)
  (?:keep|save|store|put)_(?:this|that|it)_some_?(?:where|place)
  add_(?:(?:this|that|it)_)?to_(?:(?:my|the|your)_)?(?:notes?|logs?|memory|memo|todos?|journal)
  (?:memo|to-?do|reminder|nb)(?=\\s*[:-])`,
)
const pronoun = anyOf('me this that it these those the_following down for_me of_this of_that')
const afterSave = anyOf('about to for_me for please too in_(?:my|your)_(?:notes?|memory|log) in_mind')
const saveAtEnd = anyOf(`rem\\w{0,4}ber (?:do_not|don'?t)_forget note write save record log keep jot
  keep_(?:this|that|it)_somewhere make_a_note_of take_note(?:_of)? remind`)
const saveVerb = anyOf('remember note save keep record write log store memori[sz]e jot put')
const doNot = anyOf(`don'?t do_not never no_need_to you_(?:don'?t|do_not)_(?:have|need)_to`)
const refused = anyOf('noted saved kept remembered stored written')
/** "$4 a pound", "30 euros per month". */
const price = '(?:[€$£]\\s?\\d[\\d.,]*|\\d\\s?(?:€|euros?|dollars?|pounds?)) ?(?:an?\\b|per\\b|/)'
/** "63.5 kg", "128/82", "900 euros". */
const measure =
  '(?:\\d\\s?(?:kg|km|cm|mm|mg|ml|lbs?|oz|°c|€|euros?|dollars?|pounds?)|[€$£]\\s?\\d[\\d.,]*|\\d{2,3}/\\d{2,3})'
const objects = 'an? the my your this that what all every\\w* files notes'

const english = {
  /** Polite words before the request; matched repeatedly. */
  opening: new RegExp(`^${anyOf(englishOpenings)}[\\s,!.:;-]*`, 'i'),
  /** Matches a whole sentence; without it, a search and the memory flush would take "thanks" for content. */
  smallTalk: new RegExp(
    `^(?:${anyOf(
      `hi hello hey hiya yo there commonplace good_(?:morning|afternoon|evening|day|night) how_are_you thanks? thank_(?:you|u)
      thx ty cheers a_lot so_much very_much that(?:'s|_is|_was)_(?:great|helpful) great ok okay yes yep no nope sure got_it bye
      goodbye help(?:_me)?`,
    )}[\\s,!.:;)]*)+$|^what can you (?:do|help(?: me)? with)$|^who are you$|` +
      '^how (?:do|does|can) (?:this|it|you|i use this) ?(?:work)?$',
    'i',
  ),
  /** Requests that need an editor. */
  change: new RegExp(`^${anyOf('delete remove erase forget change update edit correct')} +${anyOf(objects)}`, 'i'),
  optOut: new RegExp(
    `^(?:${doNot}(?: ever)? ${saveVerb}(?: down)? (?:this|that|it|these|those|the following|what i)\\b|` +
      'forget (?:this|that|it|what i (?:just )?said)$|(?:(?:this|that) is )?off the record|' +
      `(?:this|that) (?:should not|shouldn'?t|must not) be ${refused})|` +
      '[,.;:–—-]\\s*(?:(?:but|so|and|please|pls) )*' +
      `(?:${doNot}(?: ever)? ${saveVerb}(?: (?:this|that|it))?(?: down)?|off the record)$`,
    'i',
  ),
  /** The group `text` is the note. */
  remember: [
    new RegExp(
      `^${saveAtStart}(?:[\\s,]+${pronoun})*(?:[\\s,]+${afterSave})*` +
        '[:,.!?;–—-]*[^\\S\\n]*(?:[:,.!?;–—-]+(?=\\s|$)[^\\S\\n]*)*\\n*(?<text>[\\s\\S]*)$',
      'i',
    ),
    new RegExp(
      '^(?<text>[\\s\\S]+?)[\\s]*[,.;!:–—-]+\\s*(?:(?:so|and|but|please|pls|can you|could you|you should|just) )*' +
        `${saveAtEnd}(?: ${pronoun})*(?: in mind)?(?: too| please| pls)?$`,
      'i',
    ),
  ],
  reminder: /\bremind|\balarm\b|\blet me forget\b/i,
  statement: new RegExp(
    `^\\w{3,}ed\\b .|^[^,;]{10,}, \\w|^[a-z][\\w '&/-]{1,40}: \\S|${measure}[.!]*$|` +
      `^(?:i|we|he|she|they|it)'?(?:m|ve|ll|re|s)\\b|` +
      `^[a-z]+\\b.*${anyOf(
        `am is are was were be been have has had will won't can't don't doesn't didn't isn't wasn't goes moves costs? starts ends
        opens closes expires needs? wants? likes? loves? hates? prefers? uses? works? lives? think went got made did said told came
        took found met saw gave bought paid sent wrote chose began ran ate kept left lost won \\w{2,}ed`,
      )}|${price}|\\b(?:tomorrow|next (?:week|month|\\w+day))\\b.*\\bat\\b`,
    'i',
  ),
}

type Patterns = typeof english

const particle = '[啊哈呀哦喔噢啰喽呗呢吧嘛哒咯ㄛ~]'
const notePlace = '(?:[今我你]天?的?)?(?:日志|日记|笔记|备忘录?|记忆|待办|清单)(?:里面?|中|上)?'
const these =
  '(?:[这那](?:个|条|些|件事情?|段话?|句话?|话)?|以下|它|' +
  '(?:刚刚|刚才|刚|我(?:刚才?)?[说讲]的)我?[说讲]?的?[那这]?[个条句]?话?)'
const saveVerbs = anyOf(
  `记住了? 记得 [记纪]录 记着点? 记[个条笔](?:事|笔记|账)? 做(?:一?个)?(?:笔记|记录|备忘) 记 备忘录? 待办(?:事项)? note
  (?:别|不要|勿|莫)(?:忘记了?|忘了?) 提醒(?:一下)?(?:我|本人) [设定][置定]?(?:一?个)?(?:闹钟|提醒)
  (?:存|保存|储存)(?=一下|起来|下来|[好这个:,]) [写存记加放](?:进|到|入|在)${notePlace} 添加(?:进|到|入|在)${notePlace}`,
)
const saveEnding =
  `(?:${anyOf('一下下? 下来 起来 [低好着录了吗] 下(?![来个周月次午班一二三四五六七八九十]) 以下内容 这个 这件事 这点', particle)})*` +
  '(?:(?:这个?|以下|下面)?[^,:。\\s]{0,6}(?=:))?'
const dontSave = '(?:不要|别|不用|不必|无需|不需要|勿)再?'

const chinese: Patterns = {
  opening: new RegExp(
    `^${anyOf(
      `你好 您好 嗨 嗯+ (?:麻烦|请|拜托)[你您]? 帮忙 给我 帮我 替我 我(?:想|要|希望|需要)(?:请|让|要)?[你您] 可不可以 能不能 可以 能否 一定要?
      务必 千万要? 都?要 那个 对了 另外 还有 顺便 以后 再 先 也 你 您 能 帮`,
    )}[,!、\\s~]*`,
  ),
  smallTalk: new RegExp(
    `^(?:${anyOf(
      `你们?好 您好 大家好 嗨+ 嘿+ 哈[喽啰罗] hello hi ok 在吗 早安? (?:早上|上午|中午|下午|晚上)好 [午晚]安 最近怎么样 多谢 感谢 谢 辛苦 非常 太
      好的? 棒 嗯+ 行 可以 是的? 不是 没有 不用了? 收到 知道了? 明白 再见 拜拜? 你们? 您 [啦了啊呀吧吗]`,
    )}[,!~。\\s]*)+$|^(?:帮助|说明|用法|[你您]是谁|(?:怎么|如何)(?:用|使用)|有什么功能)$|` +
      '^[你您]都?(?:能|会|可以)(?:帮我)?[做干]?(?:什么|啥|些什么|哪些事)$',
    'i',
  ),
  change:
    /^(?:帮我|给我|麻烦|请)?(?:删|清除|清空|忘掉|忘记(?!了)|修改|更正(?!:)|更新|改(?!写)|(?<=.)忘|把.{1,40}(?:删|改(?!写)|忘|清掉))/,
  optOut: new RegExp(
    `^(?:${these})?(?:内容|信息|事情?|都)*[,\\s]*(?:请你?|你)?[就都可也]*${dontSave}(?:帮我|给我)?(?:把[这它那].{0,5}?)?` +
      '(?:记录?(?:住|下来?|进去)?|记得|存(?:起来|下来|档)?|保存|储存|写(?:下来?|进.{0,4}|入.{0,4}))' +
      `(?:在.{1,6}|到.{1,6}|了|${particle})*(?:${these})?(?:$|[:,。!\\s].*$)|` +
      `.[,。;\\s](?:这[个条句些]?|你|请)*${dontSave}(?:记录?|存|保存)(?:了|住|下来?|进去|${particle})*$|` +
      `^把?${these}(?:都|吧|给我)*(?:忘掉|忘了|忘记|删掉|删除|不要了|不算)(?:好了|算了|${particle})*$`,
  ),
  remember: [
    /^把(?:这个|这些|这|下面|以下|它)[^,:。]{0,8}?(?:[记存]|(?<![改重扩缩续])写)(?:录|住|下来|下|一下|起来|进去|了|吧)*[:,。!\s]*(?<text>[\s\S]*)$/,
    new RegExp(
      '^把(?<text>[\\s\\S]+?)(?:这件事情?|这事儿?|这点|这个)?[都也]?(?:给我|帮我)?' +
        `(?:记录?(?:下来|下|住|一下|好)|[记写存加](?:到|进|在)${notePlace}|存(?:下来|起来|一下))${particle}*$`,
    ),
    new RegExp(`^${saveVerbs}${saveEnding}[?]?[:,。!\\s]*(?<text>[\\s\\S]*)$`, 'i'),
    // 下周一提醒我交房租
    /^(?<text>[^,。?!]{2,12}提醒(?:一下)?我(?![了过])[^?]+)$/,
    new RegExp(
      '^(?<text>[\\s\\S]+?)[\\s]*[,。;!\\s]+' +
        `${anyOf('所以 请 麻烦 [你您要都] 帮我 帮忙 给我 一定 千万 可要 记得 到时候? 提前')}*` +
        anyOf(
          `提醒我 记一下 记下来? 记住 记得 备忘 存一下 记个?笔记 [记纪]录(?:一下|下来) 别忘了? (?:别|不要)忘记?了?`,
        ) +
        '(?:一下|[啊哈呀哦喔啰呢吧嘛~])*$',
    ),
  ],
  reminder: /提醒|闹钟/,
  statement: new RegExp(
    `.[。!]$|了[。!]?$|[完过]了.|^[^,;]{4,}[,;].{3}|^[\\u4e00-\\u9fff]{2,10}:\\s*\\S|${measure}$|` +
      '\\d\\s?(?:公斤|千克|斤|厘米|毫米|毫克|毫升|平米|公里)$|' +
      '\\d\\s?(?:块|元|毛|角|欧元?|美元|英镑|日元|港币)(?![的钱多少])|' +
      '(?:[涨升降调搬改]到|[改换变][成为]|[是在有用对把被叫住喜爱讨要想]|会(?![议员计场费长馆])).|' +
      '^(?:明天|明早|明晚|后天|下周|下个?月).*[点时去到和跟]',
  ),
}
