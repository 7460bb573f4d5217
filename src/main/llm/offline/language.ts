/**
 * Which language a message is in, so that it is answered in it: told by its scripts, and where these are shared by signs
 * that only one of them has. Where nothing tells, what was said before does, and then the interface's language. Pure.
 */
import { isSimplified, simplify } from '#search/text'

export type Language = 'en' | 'zh-Hans' | 'zh-Hant' | 'ja' | 'ko'

/** `zh`: Chinese, in characters that both written forms have. */
export type Told = Language | 'zh'

const letters = {
  han: /\p{Script=Han}/gu,
  kana: /[\p{Script=Hiragana}\p{Script=Katakana}ー]/gu,
  hangul: /\p{Script=Hangul}/gu,
}
const latinWords = /[\p{Script=Latin}]+(?:['’]\p{Script=Latin}+)*/gu
const englishWords = new Set(
  'the a an of to in on at is are was were be do does did have has had i you we they he she it my your our what which who when where why how and or for with about that this me please can could remember note not any said say from by will if there'.split(
    ' ',
  ),
)
/** Said by themselves, they tell English as well as a sentence would. */
const englishAlone =
  /^(?:hi|hello|hey|hiya|thanks|thank|help|remember|please|yes|no|sorry|goodbye|bye|good|morning|what|who|when|where|why|how|list|note|today|yesterday|cheers)$/i
/** Characters of a Chinese sentence that no name and no quoted term has. */
const chineseFunction = /[的了吗嗎么麼您你我们們呢吧]|什么|什麼|怎么|怎麼|记|記|帮|幫|请|請/u
/** Characters that Japan alone writes so. */
const japaneseOnly = /[駅図択沢検権験売読転広労働価続戻込収帰覚応桜辺渋拡峠畑亜仏両嬢歩斉済総経絵単厳気桟営録緑暦闘]/u
/** Questions that only Japanese asks so, without a letter of its own. */
const japaneseAlone = /^(?:今|今日|明日|昨日)?何(?:時|曜日|日|月何日)[?？]*$/
/** Simplified characters that traditional texts have too, for other words. */
const inBoth = new Set(
  '你它搜查修即千吃抵丑了云价伙余佣修借克党几冬凶准出划别制升占卜卷厂厘只台叶吁合吊同后向周呆和咸咽喂噪回困岳布干并幸弦彩征志念恶愿扎折抛挽捆斗旋暗曲朱术朴杆杠板松极梁棱欲沈泄泛注涌淀游溪漓灶炮烟熔痒痴症皂种秋秘系累置胜胡致舍芸范荐葱蒙虫蜡表角谷豆赞踊迹适郁酸里采铲雇面饥鼓万与姜家核气板托咨喧嗜径荡燕阪群峰却册',
)
/** Traditional characters that simplified texts have too. */
const alsoSimplified = new Set('著乾瞭藉夥祇麽徵餘於')

/** Words that Chinese and Japanese write alike: by themselves they tell neither. */
const shared = /^(?:了解|完了|以上|中止|最高|同意|今日|明日|昨日|一番|大丈夫|結構|感謝|無理|終了|確認|承知)$/
/** Han letters of a message that is so short that it goes by the language of what was said before it. */
const maxShort = 4

/** What the message tells of its language; undefined for numbers, names, emoji and the like. */
export function toldLanguage(text: string): Told | undefined {
  const count = (script: RegExp) => text.match(script)?.length ?? 0
  const han = count(letters.han)
  const kana = count(letters.kana)
  const hangul = count(letters.hangul)
  const latin = text.match(latinWords) ?? []
  const cjk = han + kana + hangul
  if (shared.test(text.replace(/[\s\p{P}\p{S}]/gu, ''))) return undefined
  if (cjk === 0) return latin.length > 1 || englishAlone.test(latin[0] ?? '') ? 'en' : undefined
  // "Who is 王小明?": the sentence is English, the name is not.
  const english = latin.filter((word) => englishWords.has(word.toLowerCase())).length
  if (english >= 2 && latin.length >= cjk / 2 && !chineseFunction.test(text)) return 'en'
  if (hangul > 0 && hangul >= (han + kana) / 2) return 'ko'
  // A shop sign's の does not make a sentence Japanese.
  if (kana > 0 && kana * 6 >= han) return 'ja'
  return writtenForm(text)
}

function writtenForm(text: string): Told {
  let traditional = 0
  let simplified = 0
  for (const letter of text) {
    if (simplify(letter) !== letter) traditional += alsoSimplified.has(letter) ? 0 : 1
    else if (isSimplified(letter) && !inBoth.has(letter)) simplified += 1
  }
  if (japaneseOnly.test(text) || japaneseAlone.test(text)) return 'ja'
  // Japan has made some characters simple as China has, and others not: who writes both writes Japanese.
  if (traditional > 0 && simplified > 0 && !chineseFunction.test(text)) return 'ja'
  if (traditional !== simplified) return traditional > simplified ? 'zh-Hant' : 'zh-Hans'
  return 'zh'
}

/**
 * @param texts the message first, then what the user said before it, latest first
 * @param fallback where nothing tells
 */
export function replyLanguage(texts: readonly string[], fallback: Language): Language {
  let isChinese = false
  const [message = '', ...before] = texts
  const isShort = new RegExp(`^\\p{Script=Han}{1,${maxShort}}$`, 'u').test(message.replace(/[\s\p{P}\p{S}]/gu, ''))
  if (isShort && replyLanguageBefore(before) === 'ja') return 'ja'
  for (const text of texts) {
    const told = toldLanguage(text)
    if (told === undefined) continue
    if (told === 'zh') isChinese = true
    else if (!isChinese || told.startsWith('zh-')) return told
  }
  return isChinese && !fallback.startsWith('zh-') ? 'zh-Hans' : fallback
}

/** Of what was said before, latest first, the first that tells. */
function replyLanguageBefore(texts: readonly string[]): Told | undefined {
  for (const text of texts) {
    const told = toldLanguage(text)
    if (told !== undefined) return told
  }
  return undefined
}

/** Of a locale such as `zh-TW`; English for those that there are no sentences in. */
export function languageOfLocale(locale: string): Language {
  if (/^zh\b.*(?:Hant|TW|HK|MO)/i.test(locale)) return 'zh-Hant'
  if (/^zh\b/i.test(locale)) return 'zh-Hans'
  return /^ja\b/i.test(locale) ? 'ja' : /^ko\b/i.test(locale) ? 'ko' : 'en'
}
