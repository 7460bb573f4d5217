import type { Locale } from '#shared/contract/index.ts'
import type { hostTexts } from '#shared/i18n/host-texts.ts'
import { isSimplified, simplify } from '#search/text'

/** Texts of the offline model and of the summary of a chat. `{{…}}` are values. */
export type Sentences = (typeof hostTexts)[Locale]['offline']

/** Returns true for the last line of an answer with quotes and the first one of a summary, which state nothing. */
export function isDisclaimer(line: string): boolean {
  return /^\*(?:No language model is |目前[没沒]有[连連]接)|^Summary of the chat |^[对對][话話] .* 的摘要/.test(line)
}

/** `zh`: all characters are the same in simplified and traditional Chinese. */
type DetectedLanguage = Locale | 'zh'

const latinWords = /[\p{Script=Latin}]+(?:['’]\p{Script=Latin}+)*/gu
const englishWords = new Set(
  'the a an of to in on at is are was were be do does did have has had i you we they he she it my your our what which who when where why how and or for with about that this me please can could remember note not any said say from by will if there hi hello hey hiya thanks thank help yes no sorry goodbye bye good morning list today yesterday cheers'.split(
    ' ',
  ),
)
/** Chinese function words. Chinese names and terms in an English sentence contain none. */
const chineseFunction = /[的了吗嗎么麼您你我们們呢吧]|什么|什麼|怎么|怎麼|记|記|帮|幫|请|請/u
/** Simplified characters that traditional texts also contain, with another meaning. */
const alsoTraditional = new Set(
  '你它搜查修即千吃抵丑了云价伙余佣修借克党几冬凶准出划别制升占卜卷厂厘只台叶吁合吊同后向周呆和咸咽喂噪回困岳布干并幸弦彩征志念恶愿扎折抛挽捆斗旋暗曲朱术朴杆杠板松极梁棱欲沈泄泛注涌淀游溪漓灶炮烟熔痒痴症皂种秋秘系累置胜胡致舍芸范荐葱蒙虫蜡表角谷豆赞踊迹适郁酸里采铲雇面饥鼓万与姜家核气板托咨喧嗜径荡燕阪群峰却册',
)
const alsoSimplified = new Set('著乾瞭藉夥祇麽徵餘於')

/** Returns undefined for numbers, single names, emoji, Japanese, Korean and other languages. */
export function detectLanguage(text: string): DetectedLanguage | undefined {
  const han = text.match(/\p{Script=Han}/gu)?.length ?? 0
  const otherCjk = text.match(/[\p{Script=Hiragana}\p{Script=Katakana}ー\p{Script=Hangul}]/gu)?.length ?? 0
  const latin = text.match(latinWords) ?? []
  const englishCount = latin.filter((word) => englishWords.has(word.toLowerCase())).length
  if (han + otherCjk === 0) return latin.length > 1 || englishCount === 1 ? 'en' : undefined
  // "Who is 王小明?" is an English sentence with a Chinese name.
  if (englishCount >= 2 && latin.length >= (han + otherCjk) / 2 && !chineseFunction.test(text)) return 'en'
  // Chinese brand names contain a の now and then.
  return otherCjk * 6 >= han ? undefined : detectScript(text)
}

function detectScript(text: string): DetectedLanguage {
  let traditional = 0
  let simplified = 0
  for (const letter of text) {
    if (simplify(letter) !== letter) traditional += alsoSimplified.has(letter) ? 0 : 1
    else if (isSimplified(letter) && !alsoTraditional.has(letter)) simplified += 1
  }
  if (traditional === simplified) return 'zh'
  return traditional > simplified ? 'zh-TW' : 'zh-CN'
}

/** @param texts the message, then the user's earlier messages, newest first */
export function replyLanguage(texts: readonly string[], fallback: Locale): Locale {
  let isChinese = false
  for (const text of texts) {
    const detected = detectLanguage(text)
    if (detected === 'zh') isChinese = true
    else if (detected !== undefined && (!isChinese || detected !== 'en')) return detected
  }
  return isChinese && fallback === 'en' ? 'zh-CN' : fallback
}
