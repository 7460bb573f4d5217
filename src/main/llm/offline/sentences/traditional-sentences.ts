/** The offline model's Chinese, in traditional characters and as it is said in Taiwan. */
import { dayIn, weekdayIn } from './day-heading.ts'
import type { Sentences } from './sentences.ts'

export const traditional: Sentences = {
  greeting: '你好！我替你記錄，也替你尋找。說「記住……」就會寫下來；想找什麼，直接問我。',
  thanks: '不客氣。',
  assent: '好的。',
  heard: '這句話還沒有記下來：目前沒有連接語言模型，我只記你要我記的。說「記住……」，我馬上寫進今天的日誌。',
  toldBeside: (statement) => `你同時說的這句沒有記下來：「${statement}」。說「記住……」，我馬上寫進今天的日誌。`,
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
  clock: (isToday, day, time) =>
    isToday ? `現在是${dayIn('zh-TW', day)} ${time}。` : `${day} 是${weekdayIn('zh-TW', day)}。`,
  cannotChange: '我不能刪除或修改已經寫下的內容：目前沒有連接語言模型，我只會新增記錄。',
  changeThere: '相關的內容在這裡，請點開後自己修改或刪除那一行：',
  changeLast: '這是這個對話裡最後記下的一則，請點開後自己修改或刪除那一行：',
  changeInLog: (path) => `請開啟今天的日誌，自己修改或刪除那一行：[${path}]。`,
  nothingToChange: '在你的記憶裡也沒有找到相關內容。請說出那一行裡的某個詞，或到「記憶」裡尋找。',
  notKept: '好的，這個我不會記下來。它仍然留在這個對話裡，直到你刪除它：在對話清單裡刪除這個對話，或刪除那則訊息。',
  counted: (notes, files) => `你的記憶裡有 ${notes} 則記錄，一共 ${files} 個檔案：`,
  countedFiles: (files) => `你的記憶裡有 ${files} 個檔案：`,
  digest: '總結需要語言模型，而目前沒有連接。這些是記下的內容，最近的在最後：',
  noNotes: '你的記憶裡還沒有任何記錄。',
  aboutYou: '關於你和你的決定，記憶裡寫著：',
  nothingAboutYou: '還沒有寫下任何關於你的內容。說「記住……」，或填寫 [USER.md]。',
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
  withoutMemory:
    '這次對話不使用記憶：我不會查閱你的筆記，也不會保留任何內容。沒有語言模型時，我只能根據記憶回答；請在另一個對話中提問，或者選擇保留這次對話。',
  unwritable:
    '這句沒能記下來：其中有一個看不見的控制字元（NUL），文字檔無法儲存它。你的訊息還在：請編輯訊息，刪掉這個字元，再傳送一次。',
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
