import { datedNote, type DaySpan, formatDay, parseDay, simplify, parseTemporalExpressions } from '#search/text'
import { countCjk } from '#shared/util/tokens.ts'

export type Intent =
  | { readonly kind: 'remember'; readonly text: string; readonly isReminder: boolean }
  /** List the notes of these days, both inclusive. */
  | ({ readonly kind: 'period'; /** The user's words for a day. */ readonly words?: string } & DaySpan)
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

/** Returns the note that a request asks for, with dates for its relative times. @param today `YYYY-MM-DD` */
export function requestedNote({ text, isReminder }: Extract<Intent, { kind: 'remember' }>, today: string): string {
  const note = datedNote(text, today, isReminder)
  // "Tomorrow (2026-11-18) to call Ann"
  return isReminder ? note.replace(/^([^()]*\([\d –-]+\)) to /, '$1: ') : note
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
  const matches = (name: 'change' | 'unsupported' | 'question' | 'statement') =>
    languages.some((patterns) => startPositions(text, patterns).some((start) => patterns[name].test(text.slice(start))))
  if (matches('change')) return { kind: 'change' }
  if (matches('unsupported')) return { kind: 'help' }
  if (matches('question')) return { kind: 'question' }
  return { kind: matches('statement') ? 'statement' : 'keywords' }
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
/** End of a sentence, before a request that follows it. */
const sentenceEnd = /^[\p{Extended_Pictographic}\p{Emoji_Modifier}\p{Variation_Selector}\u200d\s.!?…~。！？～]*/u
/** The question mark of "can you remember …?" ends the request, not the note. */
const politeQuestion = /\b(?:can|could|would|will)\b|[可能]/i

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
    if (patterns.lookup.test(note.trim()) && !isPolite && !hasColon) return { kind: 'question' }
    const noteEnd = textStart + note.length
    const rest = raw.slice(noteEnd)
    const end = noteEnd === start + text.length ? rest : sentenceEnd.exec(rest)?.[0]
    const typed = note.trim() === '' ? '' : raw.slice(noteStart, noteEnd) + (end ?? '')
    const isAsked = signs === '' && politeQuestion.test(message.slice(0, start))
    const saved = isAsked ? typed.replace(/[?？]\s*$/, '') : typed
    if (/\b(?:reminder|alarm)\s+for\s+$/i.test(message.slice(start, noteStart)))
      return { kind: 'remember', text: `Reminder: ${saved}`, isReminder: true }
    const isReminder = patterns.reminder.test(`${message.slice(0, noteStart)} ${message.slice(noteEnd)}`)
    return { kind: 'remember', text: saved, isReminder }
  }
  return undefined
}

const listRequest =
  /\b(?:what.?s?|summar[iy]\w*|sum up|recap|review|list|show|tell|give|anything|everything|notes?|logs?|entries|journal)\b|什么|甚么|啥|哪些|干嘛|总结|整理|回顾|复盘|看|显示|列出|[记纪]录|日志|日记|笔记|怎么样|概括|汇总/i

/** Matches a message that names a time and otherwise only asks for the log. */
function parsePeriod(message: string, patterns: Patterns, _raw: string, today: string): Intent | undefined {
  const now = parseDay(today)
  const [span, ...others] = parseTemporalExpressions(message, now)
  if (!span || others.length > 0 || span.first > now || !Number.isFinite(span.first)) return undefined
  const textWithoutTime = message.replace(span.text, ' ')
  const otherWords = textWithoutTime.replace(patterns.stopWords, ' ').replace(patterns.logWords, ' ')
  const asksForLog = listRequest.test(textWithoutTime) || trimPunctuation(textWithoutTime) === ''
  if (/[\p{L}\p{N}]/u.test(otherWords) || !asksForLog) return undefined
  const { first, text } = span
  // Without the question, a day without a year can be the coming one.
  const words = parseTemporalExpressions(text, now)[0]?.first === first ? text : formatDay(first)
  return { kind: 'period', first, last: Math.min(span.last, now), ...(first === span.last ? { words } : {}) }
}

function anyOf(...patterns: readonly string[]): string {
  return `(?:${patterns.join('|')})`
}

const please = '(?:please|pls|plz|kindly)'
const pronoun = '(?:me|this|that|it|these|those|the following|down|for me|of this|of that)'
const saveAtStart = anyOf(
  "(?:always |also )?rem\\w{0,4}ber|(?:do not|don'?t|dont|never) (?:ever )?forget|note to self|remind me|memori[sz]e|for the record",
  'not(?:e|ing)(?! ?s\\b| about\\b| on\\b| from\\b| taking\\b| to self\\b)',
  '(?:write|jot|writ?ing|jotting|take|get|put) (?:this |that |it )?down',
  '(?:make|take|add|leave|set|create) (?:me )?an? (?:mental )?(?:note|memo|reminder|alarm)|(?:keep|bear)(?: this| that| it)? in mind',
  '(?:save|log|record|store|capture)(?= (?:this|that|the following|it)\\b|:)',
  '(?:keep|save|store|put) (?:this|that|it) (?:somewhere|some place)',
  'add (?:this |that |it )?to (?:my |the |your )?(?:notes?|logs?|memory|memo|todos?|journal)',
  '(?:memo|to-?do|reminder|nb)(?=\\s*[:-])',
)
const saveAtEnd = `(?:rem\\w{0,4}ber|(?:do not|don'?t|dont) forget|note|write|save|record|log|keep (?:this|that|it) somewhere|keep|jot|make a note of|take note(?: of)?|remind)`
const saveVerb = '(?:remember|note|save|keep|record|write|log|store|memori[sz]e|jot|put)'
const doNot = "(?:don'?t|do not|dont|never|no need to|you (?:don'?t|do not) (?:have|need) to)(?: ever)?"
const questionWord = 'what|whats|when|where|who|whos|whose|whom|which|why|how|hows|wich'
const auxiliary =
  "is|are|was|were|am|do|does|did|have|has|had|can|could|should|would|will|shall|may|might|isn'?t|aren'?t|wasn'?t|don'?t|doesn'?t|didn'?t|haven'?t|hasn'?t|can'?t"

const english = {
  /** Polite words before the request; matched repeatedly. */
  opening: new RegExp(
    `^(?:hi|hello|hey|ok|okay|so|uh|um|well|right|oh|fyi|btw|also|and|then|now|just|actually|${please}|would you mind|(?:can|could|would|will) (?:you|u)|(?:i(?:'d| would| just)?|we) (?:want|need|like) (?:you )?to|i'd like you to|let'?s|there)\\b[\\s,!.:;-]*`,
    'i',
  ),
  /** Matches a whole sentence; without it, a search and the memory flush would take "thanks" for content. */
  smallTalk:
    /^(?:(?:hi|hello|hey|hiya|yo|there|commonplace|good (?:morning|afternoon|evening|day|night)|how are you|thanks?|thank (?:you|u)|thx|ty|cheers|a lot|so much|very much|that(?:'s| is| was) (?:great|helpful)|great|ok|okay|yes|yep|no|nope|sure|got it|bye|goodbye|help(?: me)?)(?=$|\W)[\s,!.:;)]*)+$|^(?:what can you (?:do|help(?: me)? with)|how (?:do|does|can) (?:this|it|you|i use this) ?(?:work)?|who are you)$/i,
  /** Requests that need a language model or an editor. */
  change:
    /^(?:delete|remove|erase|forget|change|update|edit|correct)\s+(?:an?|the|my|your|this|that|what|all|every\w*|files|notes)\b/i,
  unsupported:
    /^(?:write|draft|translate|rewrite|explain|generate|make|summari[sz]e|list)\s+(?:an?|the|my|your|me|this|that|what|all|every\w*|files|notes)\b|^explain\b|^tell me an? (?:joke|story)\b/i,
  optOut: new RegExp(
    `^(?:${please}\\s+)?(?:${doNot} ${saveVerb}(?: down)? (?:this|that|it|these|those|the following|what i)\\b|forget (?:this|that|it|what i (?:just )?said)$|(?:(?:this|that) is )?off the record|(?:this|that) (?:should not|shouldn'?t|must not) be (?:noted|saved|kept|remembered|stored|written))|[,.;:–—-]\\s*(?:but |so |and )?(?:${please} )?(?:${doNot} ${saveVerb}(?: (?:this|that|it))?(?: down)?|off the record)$`,
    'i',
  ),
  /** The group `text` is the note. */
  remember: [
    new RegExp(
      `^${saveAtStart}\\b(?:[\\s,]+${pronoun}\\b)*(?:[\\s,]+(?:about|to|for(?: me)?|please|too|in (?:my|your) (?:notes?|memory|log)|in mind)\\b)*[:,.!?;–—-]*[^\\S\\n]*(?:[:,.!?;–—-]+(?=\\s|$)[^\\S\\n]*)*\\n*(?<text>[\\s\\S]*)$`,
      'i',
    ),
    new RegExp(
      `^(?<text>[\\s\\S]+?)[\\s]*[,.;!:–—-]+\\s*(?:so |and |but )?(?:${please} |can you |could you |you should |just )*${saveAtEnd}(?: ${pronoun})*(?: in mind)?(?: too| please| pls)?$`,
      'i',
    ),
  ],
  /** Matches a request for a reminder at a certain time. */
  reminder: /\bremind|\balarm\b/i,
  /** A note that starts like this is a question: "remember where …". */
  lookup: new RegExp(
    `^(?:me |us |again,? |,? ?)*(?:(?:${questionWord})\\b|if\\b|whether\\b|the (?:name|time|day|date|thing|place|person|one|way|guy)\\b|anything\\b|something\\b)`,
    'i',
  ),
  question: new RegExp(
    anyOf(
      `[?]\\s*$|^(?:${questionWord})\\b|[,.;:] *(?:and |but |so )?(?:${questionWord})\\b|^(?:${auxiliary})\\b(?! (?:not|n't))`,
      "\\b(?:forgot(?:ten)?|forget|(?:can'?t|don'?t|trying to) (?:recall|know|remember)|wonder(?:ing)?|not sure|no idea)\\b",
      '^(?:tell me|find|search|look (?:up|for)|check|show|give me|get me|any|anything|you remember|read|open|(?:where|who|what|when|how).?s)\\b',
    ),
    'i',
  ),
  statement:
    /^\w{3,}ed\b .|^[^,;]{10,}, \w|^[a-z]+\b.*\b(?:am|is|are|was|were|be|been|have|has|had|will|won't|can't|don't|doesn't|didn't|isn't|wasn't|goes|moves|costs?|starts|ends|opens|closes|expires|needs?|wants?|likes?|loves?|hates?|prefers?|uses?|works?|lives?|think|went|got|made|did|said|told|came|took|found|met|saw|gave|bought|paid|sent|wrote|chose|began|ran|ate|kept|left|lost|won|\w{2,}ed)\b|^(?:i|we|he|she|they|it)'?(?:m|ve|ll|re|s)\b|\b(?:tomorrow|next (?:week|month|\w+day))\b.*\bat\b/i,
  /** Together with `stopWords`, all words besides the time in questions such as "what did I note last week". */
  logWords:
    /\b(?:pls|can|could|what's|doing|done|up|me|us|from|all|everything|anything|things?|stuff|notes?|noted|log|logs|logged|entries|entry|journal|diary|write|wrote|written|down|record|recorded|save|saved|say|said|told|talk|talked|discuss|discussed|work|worked|working|happen|happened|happens|going|went|get|got|here|show|list|give|see|summari[sz]e|summary|sum|recap|review|look|back|over|during|day|days|so|ok|hey|hi|last|past)\b/gi,
  stopWords:
    /\b(?:the|an?|of|to|in|on|at|is|are|was|were|be|been|do|does|did|have|has|had|i|you|we|they|he|she|it|my|your|our|what|whats|which|who|when|where|why|how|and|or|for|with|about|that|this|me|us|please|tell|remind|know|remember|find|search|again|any|there|s)\b/gi,
}

type Patterns = typeof english

const particle = '[啊哈呀哦喔噢啰喽呗呢吧嘛哒咯ㄛ~]'
const notePlace = '(?:今天的?|我的?|你的?)?(?:日志|日记|笔记|备忘录?|记忆|待办|清单)(?:里面?|中|上)?'
const these = `(?:(?:这|那)(?:个|条|些|件事情?|段话?|句话?|话)?|以下|它|(?:刚刚|刚才|刚|我(?:刚才?)?(?:说|讲)的)(?:我)?(?:说|讲)?的?(?:那|这)?[个条句]?话?)`
const saveVerbs = anyOf(
  '记住了?|记得|[记纪]录|记着点?|记(?:个|条|笔)(?:事|笔记|账)?|做(?:个|一个)?(?:笔记|记录|备忘)|记|备忘录?|待办(?:事项)?|note',
  '(?:别|不要|勿|莫)(?:忘记了?|忘了?)|提醒(?:一下)?(?:我|本人)|(?:设|定)[置定]?(?:一?个)?(?:闹钟|提醒)',
  `(?:存|保存|储存)(?=一下|起来|下来|好|这|个|[:,])|(?:写|存|记|加|添加|放)(?:进|到|入|在)${notePlace}`,
)
const saveEnding = `(?:一下下?|下来|起来|低|好|着|录|了|吗|下(?![个周月次午班一二三四五六七八九十])|以下内容|这个|这件事|这点|${particle})*(?:(?:这个?|以下|下面)?[^,:。\\s]{0,6}(?=:))?`
const questionWords =
  '什么|甚么|啥|干嘛|哪|谁|几(?!乎)|多少|多久|多大|多长|多远|怎么|怎样|如何|何时|何处|为何|咩|边度|点解|是不是|有没有|有无|能不能|可不可以|记不记得|对不对'

const chinese: Patterns = {
  opening:
    /^(?:你好|您好|嗨|嗯+|(?:麻烦|请|拜托)(?:你|您)?|帮忙|给我|帮我|替我|我(?:想|要|希望|需要)(?:请|让|要)?(?:你|您)|可不可以|能不能|可以|能否|一定要?|务必|千万要?|都?要|那个|对了|另外|还有|顺便|以后|再|先|也|你|您|能|帮)[,!、\s~]*/,
  smallTalk:
    /^(?:(?:你们?好|您好|大家好|嗨+|嘿+|哈[喽啰罗]|hello|hi|ok|在吗|早安?|(?:早上|上午|中午|下午|晚上)好|[午晚]安|最近怎么样|多谢|感谢|谢|辛苦|非常|太|好的?|棒|嗯+|行|可以|是的?|不是|没有|不用了?|收到|知道了?|明白|再见|拜拜?|你们?|您|啦|了|啊|呀|吧|吗)[,!~。\s]*)+$|^(?:帮助|说明|用法|(?:你|您)是谁|(?:怎么|如何)(?:用|使用)|有什么功能|(?:你|您)都?(?:能|会|可以)(?:帮我)?(?:做|干)?(?:什么|啥|些什么|哪些事))$/i,
  change:
    /^(?:帮我|给我|麻烦|请)?(?:删|清除|清空|忘掉|忘记(?!了)|修改|更正|更新|把.{1,40}(?:删|改|忘|清掉))|^(?:帮我|给我|麻烦|请)(?:改|忘)/,
  unsupported:
    /^(?:写(?:一|个|首|篇|封|段)|画(?:一|个|张|幅)|翻译|改写|润色|解释|生成|讲(?:一)?个|总结|概括|列出|把.{1,40}(?:翻译|译成))/,
  optOut: new RegExp(
    `^(?:${these})?(?:内容|信息|事情?|都)*[,\\s]*(?:请你?|你)?(?:就|都|可|也)*(?:不要|别|不用|不必|无需|不需要|勿)(?:再)?(?:帮我|给我)?(?:把(?:这|它|那).{0,5}?)?(?:记录?(?:住|下来?|进去)?|记得|存(?:起来|下来|档)?|保存|储存|写(?:下来?|进.{0,4}|入.{0,4}))(?:在.{1,6}|到.{1,6}|了|${particle})*(?:${these})?(?:$|[:,。!\\s].*$)|.[,。;\\s](?:这(?:个|条|句|些)?|你|请)*(?:不要|别|不用|不必)(?:再)?(?:记录?|存|保存)(?:了|住|下来?|进去|${particle})*$|^把?${these}(?:都|吧|给我)*(?:忘掉|忘了|忘记|删掉|删除|不要了|不算)(?:好了|算了|${particle})*$`,
  ),
  remember: [
    /^把(?:这个|这些|这|下面|以下|它)[^,:。]{0,8}?(?:记|存|写)(?:录|住|下来|下|一下|起来|进去|了|吧)*[:,。!\s]*(?<text>[\s\S]*)$/,
    new RegExp(
      `^把(?<text>[\\s\\S]+?)(?:这件事情?|这事儿?|这点|这个)?(?:都|也)?(?:给我|帮我)?(?:记(?:录)?(?:下来|下|住|一下|好)|(?:记|写|存|加)(?:到|进|在)${notePlace}|存(?:下来|起来|一下))${particle}*$`,
    ),
    new RegExp(`^${saveVerbs}${saveEnding}[?]?[:,。!\\s]*(?<text>[\\s\\S]*)$`, 'i'),
    /^(?<text>[\s\S]+?)[\s]*[,。;!\s]+(?:所以|请|麻烦|你|您|要|帮我|帮忙|给我|一定|千万|可要|都|记得|到时候?|提前)*(?:提醒我|记一下|记下来?|记住|记得|备忘|存一下|记个?笔记|[记纪]录(?:一下|下来)|别忘了?|(?:别|不要)忘记?了?)(?:一下|[啊哈呀哦喔啰呢吧嘛~])*$/,
  ],
  reminder: /提醒|闹钟/,
  lookup: new RegExp(`${questionWords}|[吗么]$|[?]\\s*$|来着$`),
  question: new RegExp(
    `${questionWords}|[?]\\s*$|[吗么]${particle}*$|来着|到底|究竟|还记得|记得吗|呢$|还是.{1,12}$|^(?:请问|查|找|搜|告诉我|跟我说|提醒我|看看|看一下|我?想问|我?想知道)|忘了|忘记了|不记得|记不得|记不清|想不起来?|不知道`,
  ),
  statement:
    /.[。!]$|了[。!]?$|[完过]了.|^[^,;]{4,}[,;].{3}|(?:[涨升降调搬改]到|[改换变][成为]|[是在有用对把被叫住喜爱讨要想]|会(?![议员计场费长馆])).|^(?:明天|明早|明晚|后天|下周|下个?月).*[点时去到和跟]/,
  logWords:
    /咱们?|你们|请|帮|有|过|些|点|一下|干嘛|嘛|这|那|里|下|对|那天|当天|所有|全部|怎么样|事情?|东西|内容|情况|工作|活动|[记纪]录|日志|日记|笔记|做|干|忙|弄|搞|记下|记|写|告诉|说|聊|讨论|谈|讲|提到?|发生|过得|总结|整理|回顾|复盘|概括|汇总|看看|看|查看|查|显示|列出|[啊哈呀哦喔呢吧~]/g,
  stopWords:
    /什么时候|什么|为什么|甚么|啥|哪里|哪个|哪些|哪儿|哪天|哪|谁|多少|怎么|怎样|如何|几|吗|呢|吧|啊|来着|请问|告诉我|帮我|查一下|找一下|记得|还记得|我们|我的|你的|我|你|您|的|了|是|在|和|跟|与|就|都|也|还|有没有|是不是|叫|把|被|给|到底|究竟|上次|之前|那个|这个/g,
}
