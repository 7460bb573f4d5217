import { describe, expect, it } from 'vitest'
import { createOfflineModel } from '../../../src/main/models/offline.ts'
import type { Message } from '../../../src/shared/messages.ts'
import { understand } from '../../../src/main/models/offline-intent.ts'
import { bestLines } from '../../../src/main/models/offline-quote.ts'
import { offlinePhrases } from '../../../src/main/models/offline-phrases.ts'

describe('M40 offline model', () => {
  it.each([
    ['Remember that I prefer PostgreSQL', 'remember', 'I prefer PostgreSQL'],
    ['please note: call Ann on Friday', 'remember', 'Call Ann on Friday'],
    ['What should I not forget?', 'question', ''],
    ["don't forget to water the plants", 'remember', 'To water the plants'],
    ['记住我喜欢先看结论', 'remember', '我喜欢先看结论'],
    ['请记一下：周四下午评审', 'remember', '周四下午评审'],
    ['記得明天開會', 'remember', '明天開會'],
    ['Remember when we met Ann?', 'question', ''],
    ['记得我们上次说的数据库吗？', 'question', ''],
    ['Summarise today', 'day', '0'],
    ['总结今天的记录', 'day', '0'],
    ['What did I note today', 'day', '0'],
    ['What did I note yesterday?', 'day', '1'],
    ['昨天记了什么？', 'day', '1'],
    ['what happened the day before yesterday', 'day', '2'],
    ['Show me 2026-01-15', 'day', '2026-01-15'],
    ['列出所有文件', 'files', ''],
    ['list files', 'files', ''],
    ['What files do you have?', 'files', ''],
    ['Write a poem about the sea', 'task', ''],
    ['帮我写一首诗', 'task', ''],
    ['请翻译这段话', 'task', ''],
    ['What did we decide about yesterday’s outage?', 'question', ''],
    ['Who is Ann?', 'question', ''],
    ['Who wrote the parser?', 'question', ''],
    ['什么时候开会？', 'question', ''],
    ['hello', 'greeting', ''],
    ['你好', 'greeting', ''],
    ['help', 'help', ''],
    ['你能做什么？', 'help', ''],
    ['Which database did we choose?', 'question', ''],
    ['我们选了哪个数据库？', 'question', ''],
  ])('M40: understands %j as %s', (message, kind, text) => {
    const intention = understand(message)
    expect(intention.kind).toBe(kind)
    if (intention.kind === 'remember') expect(intention.text).toBe(text)
    if (intention.kind === 'day') expect(intention.date ?? String(intention.daysBack)).toBe(text)
  })

  it('M40: quotes the line that fits, with where it stands', () => {
    const passages = [
      {
        path: 'MEMORY.md',
        from: 10,
        lines: ['## Decisions', '- 2026-01-15: Chose PostgreSQL for the database', '- 2026-01-20: REST over GraphQL'],
      },
    ]
    expect(bestLines('Which database did we choose?', passages, 3)).toEqual([
      { path: 'MEMORY.md', line: 11, text: '2026-01-15: Chose PostgreSQL for the database' },
    ])
  })

  it('M40: quotes Chinese by its words', () => {
    const passages = [{ path: 'memory/2026-01-20.md', from: 1, lines: ['今天天气很好', '决定用飞书插件同步日历'] }]
    expect(bestLines('飞书插件怎么用', passages, 1)[0]).toMatchObject({ line: 2 })
  })

  it('M48: answers in the language and script of the question', () => {
    expect(offlinePhrases('hello').noModel).toContain('language model')
    expect(offlinePhrases('数据库').noModel).toContain('语言模型')
    expect(offlinePhrases('資料庫').noModel).toContain('語言模型')
  })
})

const purpose = { kind: 'chat', today: '2026-01-20', todaysLog: 'memory/2026-01-20.md' } as const

describe('M40 several messages before one answer', () => {
  it('M40: every note that was asked for is written, whatever else was said', async () => {
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
