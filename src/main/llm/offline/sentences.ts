import type { Language } from './language.ts'

const english = {
  help: 'No language model is connected, so I do two things. Write “remember that …”, and I save a note to today’s log. Ask a question, and I search your notes and quote the lines I find. You can also ask “What did I do last week?” For anything else, connect a language model in the settings.',
  statement:
    'No language model is connected, so I do not answer this. When the chat ends, its summary keeps statements with facts. To note something now, write /remember before it.',
  remembered: (path: string) => `Noted in today’s log [${path}].`,
  /** @param span a day, or the first and the last one */
  nothingIn: (span: string) => `There are no notes for ${span}.`,
  periodHas: (span: string) => `Notes for ${span}:`,
  more: (count: number) => `And ${count} more.`,
  optOut: 'I will not save that from this conversation. If it is already in today’s log, delete the line there.',
  found: 'Your memory says:',
  foundInChats: 'Your notes do not mention this, but you said in an earlier conversation:',
  nothingFound: (query: string) =>
    `I found nothing in your memory about “${query}”. Without a language model, I can only quote your notes. Try other words, or write “remember that …” to add a note.`,
  noModel: '*No language model is connected: these are quotes from your notes, not an answer.*',
  toolFailed: (reason: string) => `That did not work: ${reason}`,
  withoutMemory:
    'This chat has no access to your memory: I cannot search your notes or save anything. Without a language model, I can only answer from memory. Ask in another chat, or choose “Keep this chat after all” above.',
  /** First line of the summary of a chat. */
  ending: (link: string) => `Summary of the chat ${link}`,
  user: 'User',
  assistant: 'Assistant',
}

export type Sentences = typeof english

const simplified: Sentences = {
  help: '目前没有连接语言模型，所以我只做两件事：说“记住……”，我会写进今天的日志；提问时，我会搜索你的记忆，并附上出处引用原文。“上周我做了什么”也可以。其他的都需要语言模型：请在设置里连接一个。',
  statement:
    '目前没有连接语言模型，所以我不回答这句话。对话结束时，摘要会保留其中陈述事实的句子。想马上记下来，请在前面加上 /remember。',
  remembered: (path) => `已记入今天的日志 [${path}]。`,
  nothingIn: (span) => `${span} 没有任何记录。`,
  periodHas: (span) => `${span} 的记录：`,
  more: (count) => `另外还有 ${count} 条。`,
  optOut: '好的，这个我不会记下来。如果之前已经记下，请在今天的日志里自己删除那一行。',
  found: '你的记忆里写着：',
  foundInChats: '笔记里没有写，但你在之前的对话里说过：',
  nothingFound: (query) =>
    `在你的记忆里没有找到与“${query}”有关的内容。目前没有连接语言模型，我只能引用已经写下的内容。`,
  noModel: '*目前没有连接语言模型：以上是你笔记的原文，不是我的回答。*',
  toolFailed: (reason) => `没有成功：${reason}`,
  withoutMemory:
    '这次对话不使用记忆：我不会查阅你的笔记，也不会保留任何内容。没有语言模型时，我只能根据记忆回答；请在另一个对话中提问，或者选择保留这次对话。',
  ending: (link) => `对话 ${link} 的摘要`,
  user: '用户',
  assistant: '助手',
}

const traditional: Sentences = {
  help: '目前沒有連接語言模型，所以我只做兩件事：說「記住……」，我會寫進今天的日誌；提問時，我會搜尋你的記憶，並附上出處引用原文。「上週我做了什麼」也可以。其他的都需要語言模型：請在設定裡連接一個。',
  statement:
    '目前沒有連接語言模型，所以我不回答這句話。對話結束時，摘要會保留其中陳述事實的句子。想馬上記下來，請在前面加上 /remember。',
  remembered: (path) => `已記入今天的日誌 [${path}]。`,
  nothingIn: (span) => `${span} 沒有任何記錄。`,
  periodHas: (span) => `${span} 的記錄：`,
  more: (count) => `另外還有 ${count} 則。`,
  optOut: '好的，這個我不會記下來。如果之前已經記下，請在今天的日誌裡自己刪除那一行。',
  found: '你的記憶裡寫著：',
  foundInChats: '筆記裡沒有寫，但你在之前的對話裡說過：',
  nothingFound: (query) =>
    `在你的記憶裡沒有找到與「${query}」有關的內容。目前沒有連接語言模型，我只能引用已經寫下的內容。`,
  noModel: '*目前沒有連接語言模型：以上是你筆記的原文，不是我的回答。*',
  toolFailed: (reason) => `沒有成功：${reason}`,
  withoutMemory:
    '這次對話不使用記憶：我不會查閱你的筆記，也不會保留任何內容。沒有語言模型時，我只能根據記憶回答；請在另一個對話中提問，或者選擇保留這次對話。',
  ending: (link) => `對話 ${link} 的摘要`,
  user: '使用者',
  assistant: '助理',
}

const byLanguage: Record<Language, Sentences> = { en: english, 'zh-Hans': simplified, 'zh-Hant': traditional }

export function sentencesIn(language: Language): Sentences {
  return byLanguage[language]
}

/** Names of speakers in saved conversations; older files contain Japanese and Korean ones. */
export const speakers = {
  user: [...Object.values(byLanguage).map(({ user }) => user), 'ユーザー', '사용자'],
  assistant: [...Object.values(byLanguage).map(({ assistant }) => assistant), 'アシスタント', '어시스턴트'],
}

/** Returns true for the last line of an answer with quotes, which must not be quoted as a note. */
export function isDisclaimer(line: string): boolean {
  return /^\*(?:No language model is connected|目前没有连接语言模型|目前沒有連接語言模型)/.test(line)
}
