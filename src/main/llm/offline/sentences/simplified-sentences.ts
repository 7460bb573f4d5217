/** The offline model's Chinese, in simplified characters. */
import { dayIn, weekdayIn } from './day-heading.ts'
import type { Sentences } from './sentences.ts'

export const simplified: Sentences = {
  greeting: '你好！我替你记录，也替你查找。说“记住……”就会写下来；想找什么，直接问我。',
  thanks: '不客气。',
  assent: '好的。',
  heard: '这句话还没有记下来：目前没有连接语言模型，我只记你让我记的。说“记住……”，我马上写进今天的日志。',
  toldBeside: (statement) => `你同时说的这句没有记下来：“${statement}”。说“记住……”，我马上写进今天的日志。`,
  help: '目前没有连接语言模型，所以我只做两件事：说“记住……”，我会写进今天的日志；提问（谁、什么、什么时候）时，我会搜索你的记忆，并附上出处引用原文。“上周我做了什么”“总结今天”“列出文件”也可以。想要真正的对话，请在设置里连接一个模型。',
  nothingToRemember: '要我记住什么？请写在后面，例如“记住周四下午三点评审”。',
  remembered: (path) => `已记入今天的日志 [${path}]。`,
  nothingIn: (span) => `${span} 没有任何记录。`,
  periodHas: (span) => `${span} 的记录：`,
  more: (count) => `另外还有 ${count} 条。`,
  filesAre: '你的记忆里有这些文件：',
  noFiles: '你的记忆里还没有文件。',
  needsModel:
    '这需要语言模型，而目前没有连接：我只能记录，并引用你的笔记。请在输入框下方选择模型，或在设置里连接一个。',
  clock: (isToday, day, time) =>
    isToday ? `现在是${dayIn('zh-CN', day)} ${time}。` : `${day} 是${weekdayIn('zh-CN', day)}。`,
  cannotChange: '我不能删除或修改已经写下的内容：目前没有连接语言模型，我只会添加记录。',
  changeThere: '相关的内容在这里，请点开后自己修改或删除那一行：',
  changeLast: '这是本次对话里最后记下的一条，请点开后自己修改或删除那一行：',
  changeInLog: (path) => `请打开今天的日志，自己修改或删除那一行：[${path}]。`,
  nothingToChange: '在你的记忆里也没有找到相关内容。请说出那一行里的某个词，或到“记忆”里查找。',
  notKept: '好的，这个我不会记下来。它仍然留在这个对话里，直到你删除它：在对话列表里删除这个对话，或删除那条消息。',
  counted: (notes, files) => `你的记忆里有 ${notes} 条记录，一共 ${files} 个文件：`,
  countedFiles: (files) => `你的记忆里有 ${files} 个文件：`,
  digest: '总结需要语言模型，而目前没有连接。这些是记下的内容，最近的在最后：',
  noNotes: '你的记忆里还没有任何记录。',
  aboutYou: '关于你和你的决定，记忆里写着：',
  nothingAboutYou: '还没有写下任何关于你的内容。说“记住……”，或填写 [USER.md]。',
  found: '你的记忆里写着：',
  foundClosest: '没有很吻合的内容，最接近的是：',
  saidEarlier: '笔记里没有写，但你在之前的对话里说过：',
  whenWritten: '时间写在原文里：',
  whenNoted: (dates) => `原文没有写明日期；这条记于 ${dates}：`,
  notedOn: (date) => `记于 ${date}`,
  nothingFound: (query) =>
    `在你的记忆里没有找到与“${query}”有关的内容。目前没有连接语言模型，我只能引用已经写下的内容。`,
  noModel: '*目前没有连接语言模型：以上是你笔记的原文，不是我的回答。*',
  toolFailed: (reason) => `没有成功：${reason}`,
  withoutMemory:
    '这次对话不使用记忆：我不会查阅你的笔记，也不会保留任何内容。没有语言模型时，我只能根据记忆回答；请在另一个对话中提问，或者选择保留这次对话。',
  unwritable:
    '这句没能记下来：其中有一个看不见的控制字符（NUL），文本文件无法保存它。你的消息还在：请编辑消息，删掉这个字符，再发送一次。',
  kept: '对话中保留的内容',
  ending: (path) => `一段对话的结尾（${path}）。`,
  user: '用户',
  assistant: '助手',
  summary: {
    goal: '目标',
    decisions: '决定',
    facts: '事实与标识',
    open: '未决问题',
    files: '涉及的文件',
    none: '无',
    alsoSpokenOf: '还提到了',
  },
}
