import { isSimplified, simplify } from '#search/text'

const english = {
  help: 'No language model is connected, so I do two things. Write “remember that …”, and I save a note to today’s log. Ask a question, and I search your notes and quote the lines I find. You can also ask “What did I do last week?” For anything else, connect a language model in the settings.',
  thanks: 'You are welcome.',
  statement:
    'This is not a note yet. To keep it, write /remember before it. When the chat ends, its summary keeps statements with facts, as what you said and not as notes. No language model is connected, so I cannot say more.',
  corrected: 'This is not a note yet. It may correct the line below. Open the line to edit it, or mark it as outdated:',
  remembered: (path: string) => `Noted in today’s log [${path}].`,
  /** @param note as saved */
  reminder: (path: string, note: string) =>
    `Noted in today’s log [${path}]: ${note}. The app has no alarm, so nothing will ring.`,
  /** @param span a day, or the first and the last one */
  nothingIn: (span: string) => `There are no notes for ${span}.`,
  /** @param day the nearest one with notes */
  nearest: (span: string, day: string) => `There are no notes for ${span}. The nearest are from ${day}:`,
  /** @param day another one that the words of the question can mean */
  otherDay: (day: string) => `If you mean the other day, ask for ${day}.`,
  periodHas: (span: string) => `Notes for ${span}:`,
  more: (count: number) => `And ${count} more.`,
  optOut: 'I will not save that from this conversation. If it is already in today’s log, delete the line there.',
  found: 'Your memory says:',
  unchanged:
    'I changed nothing: without a language model, I cannot edit notes. Open the line to edit it, or mark it as outdated:',
  /** Above a quote that a newer one replaced. @param date empty if unknown */
  older: (date: string) => (date === '' ? 'Older:' : `Older, from ${date}:`),
  /** Above the newer of two quotes on one subject. */
  newer: (date: string) => (date === '' ? 'Newer:' : `Newer, from ${date}:`),
  /** Above the older of two quotes that may both be true. */
  noted: (date: string) => (date === '' ? 'Noted:' : `Noted on ${date}:`),
  absent: (...words: readonly string[]) => `No note mentions “${words.join('”, “')}”.`,
  absentNearest: (...words: readonly string[]) => `No note mentions “${words.join('”, “')}”. The nearest line:`,
  /** @param words that other notes mention */
  nearestLacks: (words: string) => `The nearest line does not mention “${words}”:`,
  foundInChats: 'Your notes do not mention this, but you said in an earlier conversation:',
  nothingFound: (query: string) =>
    `I found nothing in your memory about “${query}”. Without a language model, I can only quote your notes. Try other words, or write “remember that …” to add a note.`,
  noModel: '*No language model is connected: these are quotes from your notes, not an answer.*',
  toolFailed: (reason: string) => `That did not work: ${reason}`,
  withoutMemory:
    'This chat has no access to your memory: I cannot search your notes or save anything. Without a language model, I can only answer from memory. Ask in another chat, or choose “Add to memory” above.',
  ending: (link: string) => `Summary of the chat ${link}`,
}

export type Sentences = typeof english

const simplified: Sentences = {
  help: '目前没有连接语言模型，所以我只做两件事：说“记住……”，我会写进今天的日记；提问时，我会搜索你的记忆，并附上出处引用原文。“上周我做了什么”也可以。其他的都需要语言模型：请在设置里连接一个。',
  thanks: '不客气。',
  statement:
    '这句话还没有记下来。想保存，请在前面加上 /remember。对话结束时，摘要会保留其中陈述事实的句子，但只算你说过的话，不算笔记。目前没有连接语言模型，我只能回答这些。',
  corrected: '这条更正还没有记下来。它更正的可能是下面这一行，请打开这一行自行修改，或标为已过时：',
  remembered: (path) => `已记入今天的日记 [${path}]。`,
  reminder: (path, note) => `已记入今天的日记 [${path}]：${note}。这个应用没有闹钟，到时候不会响铃提醒你。`,
  nothingIn: (span) => `${span.replace(' – ', ' 至 ')} 没有任何记录。`,
  nearest: (span, day) => `${span.replace(' – ', ' 至 ')} 没有任何记录。离得最近的是 ${day} 的记录：`,
  otherDay: (day) => `如果指的是另一天，请输入 ${day}。`,
  periodHas: (span) => `${span.replace(' – ', ' 至 ')} 的记录：`,
  more: (count) => `另外还有 ${count} 条。`,
  optOut: '好的，这个我不会记下来。如果之前已经记下，请在今天的日记里自己删除那一行。',
  found: '你的记忆里写着：',
  unchanged: '没有改动任何笔记：没有语言模型时，我不能修改笔记。请打开这一行自行修改，或标为已过时：',
  older: (date) => (date === '' ? '较早的记录：' : `较早的记录（${date}）：`),
  newer: (date) => (date === '' ? '较新的记录：' : `较新的记录（${date}）：`),
  noted: (date) => (date === '' ? '记录：' : `${date} 的记录：`),
  absent: (...words) => `没有笔记提到“${words.join('”“')}”。`,
  absentNearest: (...words) => `没有笔记提到“${words.join('”“')}”。最接近的一行：`,
  nearestLacks: (words) => `最接近的一行没有提到“${words}”：`,
  foundInChats: '笔记里没有写，但你在之前的对话里说过：',
  nothingFound: (query) =>
    `在你的记忆里没有找到与“${query}”有关的内容。目前没有连接语言模型，我只能引用已经写下的内容。`,
  noModel: '*目前没有连接语言模型：以上是你笔记的原文，不是我的回答。*',
  toolFailed: (reason) => `没有成功：${reason}`,
  withoutMemory:
    '这次对话不使用记忆：我不会查阅你的笔记，也不会保留任何内容。没有语言模型时，我只能根据记忆回答；请在另一个对话中提问，或者选择“加入记忆”。',
  ending: (link) => `对话 ${link} 的摘要`,
}

const traditional: Sentences = {
  help: '目前沒有連接語言模型，所以我只做兩件事：說「記住…」，我會寫進今天的日記；提問時，我會搜尋你的記憶，並附上出處引用原文。「上週我做了什麼」也可以。其他的都需要語言模型：請在設定裡連接一個。',
  statement:
    '這句話還沒有記下來。想保留，請在前面加上 /remember。對話結束時，摘要會保留其中陳述事實的句子，但只算你說過的話，不算筆記。目前沒有連接語言模型，我只能回答這些。',
  corrected: '這條更正還沒有記下來。它更正的可能是下面這一行，請開啟這一行自行修改，或標為過時：',
  thanks: '不客氣。',
  remembered: (path) => `已記入今天的日記 [${path}]。`,
  reminder: (path, note) => `已記入今天的日記 [${path}]：${note}。這個應用程式沒有鬧鐘，到時候不會響鈴提醒你。`,
  nothingIn: (span) => `${span.replace(' – ', ' 至 ')} 沒有任何記錄。`,
  nearest: (span, day) => `${span.replace(' – ', ' 至 ')} 沒有任何記錄。最接近的是 ${day} 的記錄：`,
  otherDay: (day) => `如果指的是另一天，請輸入 ${day}。`,
  periodHas: (span) => `${span.replace(' – ', ' 至 ')} 的記錄：`,
  more: (count) => `另外還有 ${count} 則。`,
  optOut: '好的，這個我不會記下來。如果之前已經記下，請在今天的日記裡自行刪除那一行。',
  found: '你的記憶裡寫著：',
  unchanged: '沒有更改任何筆記：沒有語言模型時，我不能修改筆記。請開啟這一行自行修改，或標為過時：',
  older: (date) => (date === '' ? '較早的記錄：' : `較早的記錄（${date}）：`),
  newer: (date) => (date === '' ? '較新的記錄：' : `較新的記錄（${date}）：`),
  noted: (date) => (date === '' ? '記錄：' : `${date} 的記錄：`),
  absent: (...words) => `沒有筆記提到「${words.join('」「')}」。`,
  absentNearest: (...words) => `沒有筆記提到「${words.join('」「')}」。最接近的一行：`,
  nearestLacks: (words) => `最接近的一行沒有提到「${words}」：`,
  foundInChats: '筆記裡沒有寫，但你在之前的對話裡說過：',
  nothingFound: (query) =>
    `在你的記憶裡沒有找到與「${query}」有關的內容。目前沒有連接語言模型，我只能引用已經寫下的內容。`,
  noModel: '*目前沒有連接語言模型：以上是你筆記的原文，不是我的回答。*',
  toolFailed: (reason) => `沒有成功：${reason}`,
  withoutMemory:
    '這次對話不使用記憶：我不會查閱你的筆記，也不會保留任何內容。沒有語言模型時，我只能根據記憶回答；請在另一個對話中提問，或選擇上方的「加入記憶」。',
  ending: (link) => `對話 ${link} 的摘要`,
}

export function sentencesIn(language: Language): Sentences {
  return { en: english, 'zh-Hans': simplified, 'zh-Hant': traditional }[language]
}

/** Returns true for the last line of an answer with quotes and the first one of a summary, which state nothing. */
export function isDisclaimer(line: string): boolean {
  return /^\*(?:No language model is |目前[没沒]有[连連]接)|^Summary of the chat |^[对對][话話] .* 的摘要/.test(line)
}

export type Language = 'en' | 'zh-Hans' | 'zh-Hant'

/** `zh`: all characters are the same in simplified and traditional Chinese. */
type DetectedLanguage = Language | 'zh'

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
  return traditional > simplified ? 'zh-Hant' : 'zh-Hans'
}

/** @param texts the message, then the user's earlier messages, newest first */
export function replyLanguage(texts: readonly string[], fallback: Language): Language {
  let isChinese = false
  for (const text of texts) {
    const detected = detectLanguage(text)
    if (detected === 'zh') isChinese = true
    else if (detected !== undefined && (!isChinese || detected !== 'en')) return detected
  }
  return isChinese && fallback === 'en' ? 'zh-Hans' : fallback
}

/** @param locale such as `zh-TW` */
export function languageOfLocale(locale: string): Language {
  if (/^zh\b.*(?:Hant|TW|HK|MO)/i.test(locale)) return 'zh-Hant'
  return /^zh\b/i.test(locale) ? 'zh-Hans' : 'en'
}
