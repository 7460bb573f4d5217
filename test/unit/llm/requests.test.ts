import { expect, it } from 'vitest'
import { statedIn } from '../../../src/main/llm/offline/distill-notes.ts'
import { parseIntent, summarizeStatements } from '../../../src/main/llm/index.ts'

/** Requests to the app or a model, questions with the same words, and statements with the same words. */
const sentences = {
  request: `
    Translate "see you tomorrow" into Dutch | Show my shopping list | Can you draft a complaint to the airline?
    Please list three names for a cat | Summarize the article below in two sentences
    帮我写一封辞职信 | 把这段话翻译成英文 | 显示我的待办清单 | 列出三个适合周末的菜 | 给我讲个笑话
    Could you rewrite this paragraph so it sounds friendlier? | Show me all notes about the boiler
    Write a short poem for Nina's birthday | Give me five ideas for a rainy Sunday | Hi! Please explain how a heat pump works
    麻烦把这封邮件改写得客气一点 | 请总结一下这篇文章的要点 | 帮我查一下明天的天气 | 写一首关于秋天的短诗 | 你能不能给我推荐几本科幻小说`,
  question: `
    How much does the translation cost? | Which list has the guests? | Who wrote the letter to the landlord?
    When is the show on Friday? | Is the draft of the contract due this week?
    翻译费多少？ | 显示器是什么牌子的 | 总结会几点开？ | 谁写的那封信？ | 解释权归谁
    What was the list price of the camera? | Did I send the draft to Karl? | How do I translate menus in the app we bought?
    Where is the summary of the lease? | Who explains the tax form to us?
    推荐信是谁写的？ | 翻译稿什么时候交 | 说明书放在哪儿了？ | 写作课周几上 | 生成报告要多少钱？`,
  statement: `
    The translation costs 40 euros a page | Draft beer costs 5 euros at Milo's | I need to write a report by Friday
    My sister translated the lease last week | Show starts at eight on Saturday
    翻译费每千字120元 | 帮我妈预约了周三的牙医 | 显示器坏了，周六去修 | 总结会改到下周四 | 我写了一封信给房东
    List price of the camera is 640 euros | Karl writes the summary for the board on Monday
    We translated the menu for Nina's party | The explanation of the doctor: no gluten for six weeks
    I want to show the flat to Pavel on Sunday
    推荐信已经交给王老师了 | 翻译稿周五之前交 | 说明书在玄关的抽屉里 | 写作课每周二晚上七点 | 给我爸买了一台新手机`,
}

const kindsOf = { request: ['help', 'question'], question: ['question'], statement: ['statement', 'keywords'] }
const listed = (table: string) => table.split(/[|\n]/).flatMap((text) => text.trim() || [])
const summaryOf = (text: string) => summarizeStatements([{ text, key: 0 }], 1200)

it.each(['request', 'question', 'statement'] as const)(
  'recognizes each %s, and offers to save statements only',
  (kind) => {
    for (const text of listed(sentences[kind])) {
      expect(kindsOf[kind], text).toContain(parseIntent(text).kind)
      expect(summaryOf(text).length, text).toBe(kind === 'statement' ? 1 : 0)
      expect(statedIn(text) !== '', text).toBe(kind === 'statement')
    }
  },
)

it('finds no statement in a text to work on, but one beside a request', () => {
  for (const text of [
    'Translate this into French:\nDear Anna, I moved to Bonn. My new number is 555 1234.',
    'I moved to Bonn in May. Can you rewrite that for my landlord?',
    '把下面这段翻译成英文：\n我上周搬到了成都，电话是 13800001111。',
  ]) {
    expect(summaryOf(text), text).toEqual([])
    expect(statedIn(text), text).toBe('')
  }
  expect(statedIn('The flat costs 900 euros. Write an ad for it.')).toBe('The flat costs 900 euros.')
  expect(statedIn('房租涨到了 1500 元。帮我写一封信')).toBe('房租涨到了 1500 元。')
})
