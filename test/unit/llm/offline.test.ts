import { describe, expect, it } from 'vitest'
import { createOfflineModel } from '../../../src/main/llm/offline/offline-model.ts'
import type { Message } from '../../../src/shared/chat/messages.ts'
import { parseIntent } from '../../../src/main/llm/offline/intent.ts'
import { bestLines, nearLines } from '../../../src/main/llm/offline/quote.ts'
import { detectLanguage, replyLanguage, type Language } from '../../../src/main/llm/offline/language.ts'
import { sentencesIn } from '../../../src/main/llm/offline/sentences.ts'

const today = '2026-01-20'

describe('offline model', () => {
  it.each([
    ['请帮我记一下周四评审', 'remember'],
    ['麻烦帮我记住客户叫李明', 'remember'],
    ['你记住我住12楼', 'remember'],
    ['請你記住我住12樓', 'remember'],
    ['帮我记录一下今天跑了五公里', 'remember'],
    ['把周四评审记下来', 'remember'],
    ['提醒我周四评审', 'remember'],
    ['please note the review is on Thursday', 'remember'],
    ['keep in mind that Bob is vegetarian', 'remember'],
    ["don't forget the milk", 'remember'],
    ['记得上次我们讨论的方案是什么', 'question'],
    ['remember when we met Ann?', 'question'],
    ['do you remember the gate code', 'question'],
    ['我的Slack handle是什么', 'question'],
    ['11月20日记了什么', 'period'],
    ['上周我做了什么', 'period'],
    ['Show me 2026-01-15', 'period'],
    ['你好', 'help'],
    ['谢谢', 'help'],
    ['我对青霉素过敏。', 'statement'],
    ['What did we decide about yesterday’s outage?', 'question'],
    ['Write a poem about the sea', 'help'],
    ['列出所有文件', 'help'],
    ['Delete the note about the gate code', 'help'],
    ['覚えてる？', 'question'],
    ['기억나?', 'question'],
    ['会議はいつですか', 'keywords'],
    ['help', 'help'],
  ])('%j is %s', (message, kind) => {
    expect(parseIntent(message, today).kind).toBe(kind)
  })

  it.each<[string[], Language, Language]>([
    [['了解'], 'zh-Hant', 'zh-Hant'],
    [['了解', '会议是周四吗？'], 'en', 'zh-Hans'],
    [['会议', '日程呢'], 'en', 'zh-Hans'],
  ])('%j with an interface in %s is answered in %s', (texts, shown, language) => {
    expect(replyLanguage(texts, shown)).toBe(language)
  })

  it('quotes the matching line with its location', () => {
    const passages = [
      {
        path: 'MEMORY.md',
        from: 10,
        lines: ['## Decisions', '- 2026-01-15: Chose PostgreSQL for the database', '- 2026-01-20: REST over GraphQL'],
      },
    ]
    expect(bestLines('Which database did we choose?', passages, 3, today)).toEqual([
      { path: 'MEMORY.md', line: 11, text: '2026-01-15: Chose PostgreSQL for the database' },
    ])
  })

  describe('with results of vector search', () => {
    const path = 'memory/2026-01-20.md'
    const texts = ['Avoid the bridge in winter', 'Lena takes the bridge in winter', 'Mara is allergic to penicillin']
    const lines = ['# 2026-01-20', '', ...texts]
    const passages = [{ path, from: 1, lines }]
    const at = (line: number, similarity: number) => [{ path, startLine: line, endLine: line, similarity }]
    const quotes = (question: string, found: ReturnType<typeof at>) =>
      bestLines(question, passages, 3, today, found).map(({ text }) => text)

    it('prefers the found line to one that shares a single word with the question', () => {
      expect(quotes('which medicine should she avoid', [])).toEqual([texts[0]])
      expect(quotes('which medicine should she avoid', at(5, 0.9))[0]).toBe(texts[2])
    })

    it('prefers a line that shares most of the question’s words', () => {
      expect(quotes('who takes the bridge in winter', at(5, 0.9))[0]).toBe(texts[1])
    })

    it('leaves out a line with a low vector score', () => {
      expect(quotes('which medicine should she avoid', at(5, 0.2))).toEqual([texts[0]])
    })

    it('chooses among the lines of the passage by shared words', () => {
      const found = [{ path, startLine: 3, endLine: 5, similarity: 0.9 }]
      expect(quotes('is the penicillin dangerous', found)).toEqual([texts[2]])
    })

    it('quotes the found lines if none shares a word with the question', () => {
      const near = (found: ReturnType<typeof at>) => nearLines(passages, 3, today, found).map(({ text }) => text)
      expect(near(at(5, 0.9))).toEqual([texts[2]])
      expect(near([{ path, startLine: 4, endLine: 5, similarity: 0.9 }])).toEqual(texts.slice(1))
      // A heading says nothing: the line below it does.
      expect(near(at(1, 0))).toEqual([texts[0]])
      expect(near([])).toEqual([texts[0]])
    })
  })

  it('matches Chinese by words', () => {
    const passages = [{ path: 'memory/2026-01-20.md', from: 1, lines: ['今天天气很好', '决定用飞书插件同步日历'] }]
    expect(bestLines('飞书插件怎么用', passages, 1, today)[0]).toMatchObject({ line: 2 })
  })

  it('splits Latin words from adjacent Han characters', () => {
    const lines = ['我的生日是五月三号', '团队用Slack沟通', '我的Slack handle是@lin_wei']
    expect(bestLines('我的Slack handle是什么', [{ path: 'MEMORY.md', from: 1, lines }], 1, today)[0]).toMatchObject({
      line: 3,
    })
  })

  it('quotes only statements of the user from chats', () => {
    const { nothingFound, noModel } = sentencesIn('zh-Hans')
    const lines = [
      '- User: 我的护照号码是多少',
      `- Assistant: ${nothingFound('我的护照号码是多少')}`,
      '- User: 我的护照号码是E1234567。',
      `- Assistant: 护照号码 ${noModel}`,
    ]
    const path = 'sessions/a.jsonl'
    expect(bestLines('护照号码是多少', [{ path, from: 1, lines }], 3, today)).toEqual([
      { path, line: 3, text: '我的护照号码是E1234567。' },
    ])
    // Within a saved chat, continuation lines do not name the speaker.
    const middle = [nothingFound('护照号码'), noModel, '', '**助手:** 护照', '**用户:** 护照号码？']
    expect(bestLines('护照号码', [{ path: 'memory/2026-01-19-护照.md', from: 9, lines: middle }], 3, today)).toEqual([])
  })

  it.each(['en', 'zh-Hans', 'zh-Hant'] as const)('does not quote the last line of an answer in %s', (language) => {
    const lines = [
      sentencesIn(language).noModel,
      'My language model is Claude',
      '语言模型是 Claude',
      '語言模型是 Claude',
    ]
    const quotes = bestLines('language model 语言模型', [{ path: 'memory/2026-01-19-x.md', from: 9, lines }], 4, today)
    expect(quotes.length).toBeGreaterThan(0)
    expect(quotes.map(({ line }) => line)).not.toContain(9)
  })

  it('quotes the lines of a note before a line that begins with "User:"', () => {
    const lines = ['- Host of the database: db.example.org', '- User: root']
    expect(bestLines('which host has the database', [{ path: 'MEMORY.md', from: 1, lines }], 1, today)).toMatchObject([
      { line: 1 },
    ])
  })

  it.each([
    ['hello', 'en'],
    ['数据库', 'zh-Hans'],
    ['資料庫', 'zh-Hant'],
    ['你好', 'zh'],
    ['什么时候开会', 'zh-Hans'],
    ['什麼時候開會', 'zh-Hant'],
    ['会議はいつ', undefined],
    ['회의 언제', undefined],
    ['帮我note一下 deploy on friday', 'zh-Hans'],
    ['Who is 王小明?', 'en'],
    ['What did 山田さん say?', 'en'],
    ['내 Slack 핸들', undefined],
    ['ok', undefined],
    ['👍', undefined],
    ['PostgreSQL', undefined],
    ['4711', undefined],
  ])('%j is in %s', (text, language) => {
    expect(detectLanguage(text)).toBe(language)
  })

  it.each([
    [['你好'], 'zh-Hant', 'zh-Hant'],
    [['你好'], 'zh-Hans', 'zh-Hans'],
    [['你好'], 'en', 'zh-Hans'],
    [['你好', '我們選了什麼'], 'en', 'zh-Hant'],
    [['ok'], 'zh-Hant', 'zh-Hant'],
    [['你好', 'hello'], 'zh-Hant', 'zh-Hant'],
    [['会議はいつ'], 'zh-Hans', 'zh-Hans'],
    [['회의 언제', 'when is it'], 'zh-Hans', 'en'],
  ] as const)('%j with an interface in %s is answered in %s', (texts, locale, language) => {
    expect(replyLanguage(texts, locale)).toBe(language)
  })
})

const purpose = { kind: 'chat', today: '2026-01-20', time: '10:30', todaysLog: 'memory/2026-01-20.md' } as const

describe('several messages before one answer', () => {
  it('writes every requested note, even if the last message is a question', async () => {
    const model = createOfflineModel()
    const user = (content: string): Message => ({ role: 'user', content, timestamp: 1 })
    const messages: Message[] = [
      user('Remember that the key is under the pot'),
      user('Remember that the cat is called Tom'),
      user('What is the cat called?'),
    ]
    const calls: string[] = []
    for (let step = 0; step < 2; step += 1) {
      for await (const event of model.stream(
        { purpose, system: [], messages, tools: [], maxOutput: 1000 },
        new AbortController().signal,
      )) {
        if (event.type !== 'done') continue
        messages.push(event.message)
        for (const part of event.message.content) {
          if (part.type !== 'toolCall') continue
          calls.push(
            `${part.name} ${String(part.arguments['content'] ?? part.arguments['query'])
              .trim()
              .split('\n')
              .at(-1)}`,
          )
          messages.push({
            role: 'toolResult',
            toolCallId: part.id,
            toolName: part.name,
            content: [{ type: 'text', text: 'ok' }],
            isError: false,
            timestamp: 2,
          })
        }
      }
    }
    expect(calls).toEqual([
      'write The key is under the pot',
      'write The cat is called Tom',
      'memory_search What is the cat called?',
    ])
  })
})
