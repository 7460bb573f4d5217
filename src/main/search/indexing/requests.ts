/**
 * Recognizes sentences of a chat that say nothing themselves: questions, requests to recall, and answers that found
 * nothing. A request to save something ("could you note that …?") is a statement. Texts are folded with NFKC, so `?`
 * and `:` stand for their full-width forms too.
 */
import { simplify } from '#shared/util/han.ts'

const questionWord = "(?:what|who|whom|whose|when|where|which|why|how)(?:'?s)?"
const subject = '(?:i|you|we|they|he|she|it|there|this|that|these|those|any\\w*|some\\w*|my|your|our|his|her|their|the)'
const person = '(?:i|you|we|they|he|she|it|there|any\\w*)'
const auxiliary =
  "(?:is|are|was|were|am|do|does|did|have|has|had|can|could|should|would|will|shall|may|might|must|isn't|aren't|wasn't|weren't|don't|doesn't|didn't|haven't|hasn't|can't|won't)"

/** Greetings, links to the sentence before, and polite words. */
const opening =
  /^(?:(?:hi|hey|hello|ok|okay|so|and|but|also|then|now|well|oh|please|pls|btw|by the way|actually|just|again|thanks|thank you|(?:can|could|would|will) (?:you|u)|i(?:'d| would) like (?:you )?to|i (?:want|need) (?:you )?to|let's|let me|help me)\b[\s,.:!-]*)+/
const politeQuestion = /\b(?:can|could|would|will) (?:you|u)\b/
const save =
  /^(?:remember|note|save|store|record|log|memori[sz]e|(?:write|jot|put|take) (?:(?:this|that|it) )?down|make a note|take (?:a )?note|add|(?:keep|bear) in mind|remind me|(?:don't|do not|never) forget)\b/
const savedContent = /^[^?]{0,40}?(?:\bthat\b|\bto\b|:)/
const lookup = new RegExp(
  `^(?:remember|note|remind me|don't forget)\\b(?: me| again|,)*(?: about| of)? ${questionWord}\\b`,
)

const englishRequests = [
  // "who serviced the boiler", "which shop repaired the bike"
  /^(?:who|whom|whose|which)(?:'?s)?\b(?! cares\b)/,
  // "what did I say", "how many eggs do we need"
  new RegExp(`^(?!when )${questionWord}(?! ${subject}\\b)(?: [^\\s,]+){0,6}? ${auxiliary}\\b|^when ${auxiliary}\\b`),
  /^(?:what|who|where|when|how)'?s\b/,
  /^(?:what|how) about\b|^(?:at|by|for|from|in|on|since|to|until|with) (?:what|when|which|whom)\b/,
  new RegExp(`[,:;] (?:so |and |but )?(?:what|how|why)(?:'s| ${auxiliary})\\b`),
  new RegExp(`^(?:is|are|was|were|am|does|has|isn't|aren't|wasn't|doesn't|hasn't) ${subject}\\b`),
  new RegExp(
    `^(?:do|did|have|had|can|could|should|would|will|shall|may|might|don't|didn't|haven't|can't) ${person}\\b`,
  ),
  new RegExp(
    `^(?:tell|show|give|get) me\\b(?! to\\b)|^(?:know|see|find out) (?:if|whether|about|my|all|${questionWord})\\b`,
  ),
  new RegExp(`^remind me (?:again )?(?:of|about|if|whether|${questionWord})\\b`),
  new RegExp(
    `^(?:find|recall|retrieve|look up|look for|search|check|list|read|open|quote|summari[sz]e|see) (?:me |for |in |through |up |out )*(?:my|our|the|all|any\\w*|every\\w*|notes?|chats?|memory|info\\w*|mentions?|if|whether|${questionWord})\\b`,
  ),
  /^(?:search|look) (?:for|in|through|up)\b|^any(?:thing)? (?:about|on|notes?|info\w*)\b/,
  new RegExp(
    `\\b(?:i (?:wonder|forgot|forget)|(?:can't|cannot|don't|do not) (?:recall|remember|know)|no idea|not sure) (?:${questionWord}|if|whether|the name)\\b`,
  ),
]
/** "what I said about Anna", unlike "what I like most is tea" and "what a day". */
const openQuestion = /^(?:what (?!an?\b)|(?:where|why|how) (?:i|we|you|he|she|they|it|my|our|the)\b)/
const mainClause = /,|\S+ \S+ \S+ .*\b(?:is|are|was|were|will|makes?|made)\b/

function asksInEnglish(text: string, isQuestion: boolean): boolean {
  const rest = text.replace(opening, '')
  if (lookup.test(rest) && !rest.includes(':')) return true
  if (save.test(rest) && !englishRequests.some((pattern) => pattern.test(rest)))
    return isQuestion && !politeQuestion.test(text) && !savedContent.test(rest.replace(save, ''))
  if (isQuestion || englishRequests.some((pattern) => pattern.test(rest) || pattern.test(text))) return true
  return openQuestion.test(rest) && !mainClause.test(rest)
}

const chineseQuestionWord =
  /什么(?![都也的])|甚么|啥(?![都也])|谁(?![都也])|哪(?![怕都也])|(?<![好十])几(?!乎|(?:天|周|年|个月|小时|分钟|次)[之以]?[前后来])|(?<![很太好最更许])多(?:[少久大长远重]|高(?!兴))|怎么(?![都也])|怎样|如何|何时|何处|为何|是不是|有没有|能不能|会不会|要不要|记不记得|对不对/
const chineseRequest =
  /了没有?$|是.{0,4}什么的$|^(?:请问|查找?|搜索?|找(?:一下|找|出)|告诉我|跟我说说?|给我看|列出|看看|看一下|回忆|提醒我一下|我?想问|我?想知道)|还记得|来着$/
const chineseOpening =
  /^(?:你好|您好|嗨|好的?|那么?|对了|请|麻烦|拜托|你|您|能不能|可不可以|能否|可以|能|帮我|帮忙|替我|给我|[\s,。!])+/
const chineseSave =
  /^(?:记住|记下|记一下|记录|记个|记着|备忘|别忘了?|不要忘了?|存一下|保存|写下|把.+记(?:下|住|录|到|在)|记得(?!.*吗))/
const chinesePolite = /[,\s]*(?:好吗|可以吗|行吗|好不好|可不可以|吗)$/
/** Words after which a question word does not ask. */
const chineseAnyhow = /不管|无论|不论|^我?(?:知道|明白|清楚|想起)/

function asksInChinese(text: string, isQuestion: boolean): boolean {
  const plain = simplify(text)
    .replace(/[\s?!。~…]+$/, '')
    .replace(/(?<=[吗呢么])[啊呀呢]$/, '')
  const rest = plain.replace(chineseOpening, '')
  if (chineseSave.test(rest)) return chineseQuestionWord.test(rest.replace(chinesePolite, ''))
  if (isQuestion || /[吗嘛]$/.test(plain) || chineseRequest.test(rest) || chineseRequest.test(plain)) return true
  return chineseQuestionWord.test(plain) && !chineseAnyhow.test(plain)
}

const japaneseSave = /(?:覚えて(?:おいて|て)|メモして|記録して|書き留めて|保存して|忘れないで)/
const japaneseQuestion =
  /(?:名前|番号|日|時間|場所|理由)は$|(?:ます|です|ました|でした|ません|でしょう|だろう|だった|った|[いしべけ]た|なの|るの|たの)か(?:な|ね)?$|(?:だ|た|でし|まし)っけ$|か(?:な|しら)$|(?:誰|だれ|どこ|いつ|何|なに|いくら|いくつ|どれ|どう|なぜ)(?:だった|だ|です|でした|なの)?$/
const japaneseQuestionWord =
  /(?:何(?![度と人回年]か?)|誰[がをにとの]|どこ[にでへを]|どの|いつ|どうやって|なぜ)(?!も|でも|か|の間)/
const japaneseRequest =
  /(?:教えて|調べて|探して|検索して|見せて|思い出して)(?:ください|下さい|くれ|ほしい|欲しい|ね|よ)?$/

function asksInJapanese(text: string, isQuestion: boolean): boolean {
  if (japaneseSave.test(text)) return false
  const plain = text.replace(/[\s?!。…~]+$/, '')
  return [japaneseQuestion, japaneseQuestionWord, japaneseRequest].some((pattern) => pattern.test(plain)) || isQuestion
}

const koreanSave = /(?:기억해|적어|메모해|기록해|저장해)\s?(?:줘|주세요|주십시오|둬|두세요|놔|줄래|주시|주실)/
const koreanQuestion = /까$|(?<![머언])니$|(?:있|없|하|되|인|하시|계시)나요$|(?:인|은|는|건|던|한|된|운)가요?$/
/** Endings after a verb in the past tense, whose last syllable ends in ㅆ. */
const koreanPastQuestion = new RegExp(`\u11bb(?:${'나요|더라'.normalize('NFD')})$`)
const koreanQuestionWord =
  /(?:뭐|뭘|무엇|무슨|누구|누가|어디|언제|얼마|왜|어떻게|어느|어떤|몇)(?!나|든|냐하면)(?!\s?\S+\s(?:전|후|동안))\S*(?:\s\S+){0,2}$/
const koreanQuestionEnd = /(?:야|지|지요|죠|요|어|아|해|나|가|래|뭐|누구|어디|언제|얼마|왜)$/
const koreanRequest = /(?:알려|말해|찾아|검색해|보여|읽어|떠올려)\s?(?:줘|주세요|줄래|주십시오|봐|봐줘|보세요)(?:요)?$/

function asksInKorean(text: string, isQuestion: boolean): boolean {
  if (koreanSave.test(text)) return false
  const plain = text.replace(/[\s?!.…~]+$/, '')
  if (isQuestion || koreanQuestion.test(plain) || koreanRequest.test(plain)) return true
  if (koreanPastQuestion.test(plain.normalize('NFD'))) return true
  return koreanQuestionWord.test(plain) && koreanQuestionEnd.test(plain)
}

/** In characters. Longer texts without sentence ends are pasted; the limit also bounds the time of the patterns. */
const maxSentence = 2000

/** Returns true for a question and for a request to recall something. */
export function isRequest(sentence: string): boolean {
  if (sentence.length > maxSentence) return false
  const text = folded(sentence)
  const isQuestion = isQuestionMarked(sentence)
  if (/\p{Script=Hangul}/u.test(text)) return asksInKorean(text, isQuestion)
  if (/[\p{Script=Hiragana}\p{Script=Katakana}]/u.test(text)) return asksInJapanese(text, isQuestion)
  if (/\p{Script=Han}/u.test(text)) return asksInChinese(text, isQuestion)
  return asksInEnglish(text, isQuestion)
}

/** Returns true if a sentence ends with a question mark that is not part of a quotation. */
export function isQuestionMarked(sentence: string): boolean {
  if (sentence.length > maxSentence) return false
  const text = folded(sentence)
  const end = /\?[?!)\]}」』*_\s\p{Extended_Pictographic}\p{Variation_Selector}\u200d]*(["'”’]?)[\s.。]*$/u.exec(text)
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
    const isAboutSpeaker = /^(?:i|we)\b(?:\s+\S+|'\S+){3}|^我们?.+了/.test(simplify(folded(statement)))
    if (isAboutSpeaker && isRequest(question) && !isRequest(statement)) return statement
  }
  return ''
}

const nothingFound = [
  /\b(?:found|find|see|have|there(?: i|')s|there are|there was|there were|returned|turned up|came up with) (?:absolutely )?(?:nothing|no (?:\w+ ){0,3}(?:results?|notes?|matches|mentions?|records?|entries|entry|information|info|references?|trace|memory|memories))\b(?! wrong| better| else to do)/,
  /\b(?:could not|couldn't|can't|cannot|can not|didn't|did not|don't|do not|wasn't able to|was not able to|unable to) (?:seem to )?(?:find|locate|see|recall|have)\b.{0,60}\b(?:any|anything|notes?|memory|memories|records?|mentions?|information|info|saved|stored|entries|it|that|this)\b/,
  /\b(?:notes?|memory|memories|logs?|chats?|conversations?|records?)\b.{0,30}\b(?:do not|don't|does not|doesn't|did not|didn't) (?:seem to )?(?:mention|say|contain|have|include|cover|show|record)\b/,
  /\b(?:nothing|no (?:results?|notes?|matches|mentions?|records?|information)|none of (?:your|the) (?:notes?|results?))\b.{0,60}\b(?:notes?|memory|memories|logs?|chats?|came up|was found|were found|mentions?|matched|match(?:es)?|about (?:it|that|this))\b/,
]
const chineseNothingFound =
  /(?:没有?|未能?|无法)(?:能够?)?(?:在.{1,12})?(?:找到|查到|搜到|搜索到|检索到)|(?:找|查|搜)不到|(?:没有|无)(?:任何|什么)?(?:相关|有关|关于|匹配|对应|提到|提及|记录|记载|写).{0,20}|(?:笔记|记忆|日志|记录|对话)(?:里面?|中|上)?(?:也|都|并|完全)?(?:没有?|未)/
const japaneseNothingFound =
  /見つか(?:りません|らな)|見つけられ(?:ません|な)|見当たり?(?:ません|らな)|(?:記録|メモ|情報|ノート|結果|記憶|記載)(?:は|が|も|に)?.{0,12}(?:ありません|残っていません|ない(?:です|ようです)?|なかった)/
const koreanNothingFound =
  /찾(?:을 수 없|지 못|을 수가 없)|(?:기록|메모|정보|결과|노트|내용|기억)\S{0,3}\s?(?:\S+\s){0,2}(?:없(?:습니다|어요|네요|었)|나와 있지 않)/

/** Returns true for a sentence that says that the memory has nothing about a subject. */
export function saysNothingFound(sentence: string): boolean {
  if (sentence.length > maxSentence) return false
  const text = folded(sentence)
  if (/\p{Script=Hangul}/u.test(text)) return koreanNothingFound.test(text)
  if (/[\p{Script=Hiragana}\p{Script=Katakana}]/u.test(text)) return japaneseNothingFound.test(text)
  if (/\p{Script=Han}/u.test(text)) return chineseNothingFound.test(simplify(text))
  return nothingFound.some((pattern) => pattern.test(text))
}

function folded(text: string): string {
  return text.normalize('NFKC').replaceAll('’', "'").toLowerCase().replace(/\s+/g, ' ').trim()
}
