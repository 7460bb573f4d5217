/** The offline model's Chinese, in traditional characters and as it is said in Taiwan. */
import type { Sentences } from './sentences.ts'

export const traditional: Sentences = {
  greeting: '你好！我替你記錄，也替你尋找。說「記住……」就會寫下來；想找什麼，直接問我。',
  thanks: '不客氣。',
  assent: '好的。',
  heard: '這句話還沒有記下來：目前沒有連接語言模型，我只記你要我記的。說「記住……」，我馬上寫進今天的日誌。',
  help: '目前沒有連接語言模型，所以我只做兩件事：說「記住……」，我會寫進今天的日誌；提問（誰、什麼、什麼時候）時，我會搜尋你的記憶，並附上出處引用原文。「上週我做了什麼」「總結今天」「列出檔案」也可以。想要真正的對話，請在設定裡連接一個模型。',
  nothingToRemember: '要我記住什麼？請寫在後面，例如「記住週四下午三點評審」。',
  remembered: (path) => `已記入今天的日誌 [${path}]。`,
  nothingIn: (span) => `${span} 沒有任何記錄。`,
  periodHas: (span) => `${span} 的記錄：`,
  more: (count) => `另外還有 ${count} 則。`,
  filesAre: '你的記憶裡有這些檔案：',
  noFiles: '你的記憶裡還沒有檔案。',
  needsModel:
    '這需要語言模型，而目前沒有連接：我只能記錄，並引用你的筆記。請在輸入框下方選擇模型，或在設定裡連接一個。',
  found: '你的記憶裡寫著：',
  foundClosest: '沒有很吻合的內容，最接近的是：',
  saidEarlier: '筆記裡沒有寫，但你在之前的對話裡說過：',
  whenWritten: '時間寫在原文裡：',
  whenNoted: (dates) => `原文沒有寫明日期；這則記於 ${dates}：`,
  notedOn: (date) => `記於 ${date}`,
  nothingFound: (query) =>
    `在你的記憶裡沒有找到與「${query}」有關的內容。目前沒有連接語言模型，我只能引用已經寫下的內容。`,
  noModel: '*目前沒有連接語言模型：以上是你筆記的原文，不是我的回答。*',
  toolFailed: (reason) => `沒有成功：${reason}`,
  kept: '從對話中保留的內容',
  ending: (path) => `一段對話的結尾（${path}）。`,
  user: '使用者',
  assistant: '助理',
  summary: {
    goal: '目標',
    decisions: '決定',
    facts: '事實與識別碼',
    open: '未決問題',
    files: '相關檔案',
    none: '無',
    alsoSpokenOf: '還提到了',
  },
}
