/** What the offline model says around the quotes. It answers in the language of the question. */

export interface OfflinePhrases {
  readonly greeting: string
  readonly help: string
  readonly nothingToRemember: string
  readonly remembered: (path: string) => string
  readonly nothingOn: (path: string) => string
  readonly dayHas: (path: string) => string
  readonly filesAre: string
  readonly noFiles: string
  readonly needsModel: string
  /** Before the days on which the quoted lines were noted. */
  readonly notedOn: (dates: string) => string
  readonly found: string
  readonly foundClosest: string
  readonly nothingFound: (query: string) => string
  readonly noModel: string
  readonly toolFailed: (reason: string) => string
}

const english: OfflinePhrases = {
  greeting:
    'Hello! I keep and find what you tell me. Say “remember …” to note something, or ask me about what is in your memory.',
  help: 'No language model is connected, so I do two things: “remember …” writes a note to today’s log, and any question (who, what, when) searches your memory and quotes what I find, with its source. “Summarise today”, “what did I note yesterday?” and “list files” work too. Connect a model in the settings for real conversation.',
  nothingToRemember:
    'What should I remember? Write it after the word, as in “remember that the review is on Thursday”.',
  remembered: (path) => `Noted in today’s log [${path}].`,
  nothingOn: (path) => `Nothing has been noted there: there is no ${path} yet.`,
  dayHas: (path) => `${path} has:`,
  filesAre: 'These files are in your memory:',
  noFiles: 'There are no files in your memory yet.',
  needsModel:
    'That takes a language model, and none is connected: I can only note things and quote from your notes. Choose a model below the message field, or set one up in the settings.',
  notedOn: (dates) => `Noted on ${dates}:`,
  found: 'Your memory says:',
  foundClosest: 'Nothing fits well; this comes closest:',
  nothingFound: (query) =>
    `I found nothing in your memory about “${query}”. No language model is connected, so I can only quote what is written there.`,
  noModel: '*No language model is connected: these are quotes from your notes, not an answer of mine.*',
  toolFailed: (reason) => `That did not work: ${reason}`,
}

const simplified: OfflinePhrases = {
  greeting: '你好！我替你记录，也替你查找。说“记住……”就会写下来；想找什么，直接问我。',
  help: '目前没有连接语言模型，所以我只做两件事：说“记住……”，我会写进今天的日志；提问（谁、什么、什么时候）时，我会搜索你的记忆，并附上出处引用原文。“总结今天”“昨天记了什么”“列出文件”也可以。想要真正的对话，请在设置里连接一个模型。',
  nothingToRemember: '要我记住什么？请写在后面，例如“记住周四下午三点评审”。',
  remembered: (path) => `已记入今天的日志 [${path}]。`,
  nothingOn: (path) => `那里还没有记录：还没有 ${path}。`,
  dayHas: (path) => `${path} 里有：`,
  filesAre: '你的记忆里有这些文件：',
  noFiles: '你的记忆里还没有文件。',
  needsModel:
    '这需要语言模型，而目前没有连接：我只能记录，并引用你的笔记。请在输入框下方选择模型，或在设置里连接一个。',
  notedOn: (dates) => `记于 ${dates}：`,
  found: '你的记忆里写着：',
  foundClosest: '没有很吻合的内容，最接近的是：',
  nothingFound: (query) =>
    `在你的记忆里没有找到与“${query}”有关的内容。目前没有连接语言模型，我只能引用已经写下的内容。`,
  noModel: '*目前没有连接语言模型：以上是你笔记的原文，不是我的回答。*',
  toolFailed: (reason) => `没有成功：${reason}`,
}

const traditional: OfflinePhrases = {
  greeting: '你好！我替你記錄，也替你尋找。說「記住……」就會寫下來；想找什麼，直接問我。',
  help: '目前沒有連接語言模型，所以我只做兩件事：說「記住……」，我會寫進今天的日誌；提問（誰、什麼、什麼時候）時，我會搜尋你的記憶，並附上出處引用原文。「總結今天」「昨天記了什麼」「列出檔案」也可以。想要真正的對話，請在設定裡連接一個模型。',
  nothingToRemember: '要我記住什麼？請寫在後面，例如「記住週四下午三點評審」。',
  remembered: (path) => `已記入今天的日誌 [${path}]。`,
  nothingOn: (path) => `那裡還沒有記錄：還沒有 ${path}。`,
  dayHas: (path) => `${path} 裡有：`,
  filesAre: '你的記憶裡有這些檔案：',
  noFiles: '你的記憶裡還沒有檔案。',
  needsModel:
    '這需要語言模型，而目前沒有連接：我只能記錄，並引用你的筆記。請在輸入框下方選擇模型，或在設定裡連接一個。',
  notedOn: (dates) => `記於 ${dates}：`,
  found: '你的記憶裡寫著：',
  foundClosest: '沒有很吻合的內容，最接近的是：',
  nothingFound: (query) =>
    `在你的記憶裡沒有找到與「${query}」有關的內容。目前沒有連接語言模型，我只能引用已經寫下的內容。`,
  noModel: '*目前沒有連接語言模型：以上是你筆記的原文，不是我的回答。*',
  toolFailed: (reason) => `沒有成功：${reason}`,
}

/** Characters that only one of the two written forms uses, among the commonest of a question. */
const traditionalOnly = /[們這個嗎麼說誰記憶對時會過還沒為來學後點選擇資庫東問題關於幾週歲錢買賣請讓從開]/

export function offlinePhrases(text: string): OfflinePhrases {
  if (!/\p{Script=Han}/u.test(text)) return english
  return traditionalOnly.test(text) ? traditional : simplified
}
