import { describe, expect, it } from 'vitest'
import { createOfflineModel, quotesOf } from '../../../src/main/llm/offline/offline-model.ts'
import {
  messageText,
  type Message,
  type ToolCallPart,
  type ToolResultMessage,
} from '../../../src/shared/chat/messages.ts'
import { toolDetailsSchema } from '../../../src/shared/chat/message-schemas.ts'
import { formatDay } from '../../../src/main/search/text/language/dates.ts'
import { noteOf, parseIntent } from '../../../src/main/llm/offline/intent.ts'
import { fillText } from '../../../src/shared/util/fill-text.ts'
import { hostTexts } from '../../../src/shared/i18n/host-texts.ts'
import { detectLanguage, replyLanguage } from '../../../src/main/llm/offline/sentences.ts'

const today = '2026-01-20'

describe('offline model', () => {
  it.each([
    ['记得上次我们讨论的方案是什么', 'question'],
    ['停车位每年1200元，六月底交', 'statement'],
    ['停车位 1200', 'keywords'],
    ['Bike lock 3081, spare key at Nora’s', 'statement'],
    ['Delete the note about the gate code', 'change'],
    ['请把牙医的预约改到下周四', 'change'],
    ['기억나?', 'question'],
    ['翻译费多少？', 'question'],
    ['解释权归谁', 'question'],
    ['总结会是哪天开？', 'question'],
    ['修改密码是多少？', 'question'],
    ['翻译这句话是什么意思', 'help'],
    ['解释什么是熵', 'help'],
    ['帮我翻译：你好吗？', 'help'],
    ['总结一下上周的会议', 'help'],
    ['更正一下房租', 'change'],
    ['更正：尿酸是 425，不是 452', 'statement'],
    ['草莓25块一斤', 'statement'],
    ['25块的草莓', 'keywords'],
    ['Strawberries $4 a pound', 'statement'],
    ['Translate "good morning" to Spanish', 'help'],
  ])('%j is %s', (message, kind) => {
    expect(parseIntent(message, today).kind).toBe(kind)
  })

  it.each([
    ['Remember that 🦄🎉 the party is great', '🦄🎉 the party is great'],
    ['The keys are under the pot! Please remember this.', 'The keys are under the pot!'],
    ['Note: .env stays out of the repository', '.env stays out of the repository'],
    ['能帮我记一下：车位在 B2？', '车位在 B2'],
    ['Set a reminder for the dentist one day before', 'Reminder: the dentist one day before'],
    ['记得 Wi-Fi 密码是 Nihao2026!', 'Wi-Fi 密码是 Nihao2026!'],
  ])('%j is saved as %j', (message, note) => {
    expect(noteOf(message, today)).toBe(note)
  })

  describe('quotations', () => {
    type Result = Parameters<typeof quotesOf>[0]['results'][number]
    const found = (...results: Result[]) => ({ results, minScore: 0.15, weights: null })
    const result = (path: string, line: number, score: number, snippet: string): Result => ({
      path,
      startLine: line,
      endLine: line,
      heading: '',
      score,
      snippet,
      source: path.startsWith('sessions/') ? 'sessions' : 'memory',
    })
    const quoted = (...results: Result[]) => quotesOf(found(...results), today).map(({ text }) => text)

    it('are the results in their order, with their places', () => {
      const results = [
        result('MEMORY.md', 11, 0.6, 'Chose PostgreSQL for the database'),
        result('memory/2026-01-19.md', 4, 0.9, 'The database moved to Frankfurt'),
      ]
      expect(quotesOf(found(...results), today)).toMatchObject([
        { path: 'MEMORY.md', line: 11, text: 'Chose PostgreSQL for the database', isFromChat: false },
        { path: 'memory/2026-01-19.md', line: 4, text: 'The database moved to Frankfurt', isFromChat: false },
      ])
    })

    it('are at most three, without much less likely ones', () => {
      const likely = ['a', 'b', 'c', 'd'].map((text, at) => result('MEMORY.md', at + 1, 0.8, text))
      expect(quoted(...likely)).toEqual(['a', 'b', 'c'])
      const [first, second] = likely
      if (!first || !second) throw new Error('no results')
      expect(quoted(first, { ...second, score: 0.41 })).toEqual(['a', 'b'])
      expect(quoted(first, { ...second, score: 0.39 })).toEqual(['a'])
    })

    it('are of chats only if no note was found', () => {
      const chat = result('sessions/a.jsonl', 3, 0.9, 'User: The cat is called Tom.')
      expect(quoted(result('MEMORY.md', 2, 0.3, 'The cat is called Tim'), chat)).toEqual(['The cat is called Tim'])
      expect(quotesOf(found(chat), today)).toMatchObject([
        { path: 'sessions/a.jsonl', line: 3, text: 'The cat is called Tom.', isFromChat: true },
      ])
    })

    it('are only statements of the user, from chats and from imported conversations', () => {
      const { nothingFound, noModel } = hostTexts['zh-CN'].offline
      const lines = [
        'User: 我的护照号码是多少',
        `Assistant: ${fillText(nothingFound, { query: '我的护照号码是多少' })}`,
        'User: 我的护照号码是E1234567。',
        `Assistant: 护照号码 ${noModel}`,
        // The second part of a long message does not name its speaker.
        '护照号码在文件夹里。',
      ]
      const chats = lines.map((text, at) => result('sessions/a.jsonl', at + 1, 0.5, text))
      expect(quoted(...chats)).toEqual(['我的护照号码是E1234567。'])
      const imported = [
        '**Assistant:** 护照在抽屉里。',
        '**User:** 护照号码？',
        '**User:** 护照号码是E1234567。',
        noModel,
      ]
      const notes = imported.map((text, at) => result('imported/2026-01-19 护照.md', at + 9, 0.5, text))
      expect(quoted(...notes)).toEqual(['护照号码是E1234567。'])
    })

    it.each(['en', 'zh-CN', 'zh-TW'] as const)('leave out lines of the app in %s', (language) => {
      const { noModel, ending } = hostTexts[language].offline
      for (const line of [noModel, fillText(ending, { link: '[sessions/a.jsonl]' })])
        expect(quoted(result('memory/2026-01-19-x.md', 3, 0.9, line))).toEqual([])
    })
  })

  it.each([
    ['hello', 'en'],
    ['資料庫', 'zh-TW'],
    ['你好', 'zh'],
    ['帮我note一下 deploy on friday', 'zh-CN'],
    ['Who is 王小明?', 'en'],
  ])('%j is in %s', (text, language) => {
    expect(detectLanguage(text)).toBe(language)
  })

  it.each([
    [['你好'], 'zh-TW', 'zh-TW'],
    [['你好'], 'en', 'zh-CN'],
    [['你好', '我們選了什麼'], 'en', 'zh-TW'],
    [['会议', '日程呢'], 'en', 'zh-CN'],
    [['你好', 'hello'], 'zh-TW', 'zh-TW'],
    [['会議はいつ'], 'zh-CN', 'zh-CN'],
    [['회의 언제', 'when is it'], 'zh-CN', 'en'],
  ] as const)('%j with an interface in %s is answered in %s', (texts, locale, language) => {
    expect(replyLanguage(texts, locale)).toBe(language)
  })
})

const purpose = { kind: 'chat', today: '2026-01-20', time: '10:30', todaysLog: 'memory/2026-01-20.md' } as const

type ToolAnswer = Pick<ToolResultMessage, 'content' | 'details'>
const ok: ToolAnswer = { content: [{ type: 'text', text: 'ok' }] }

/** Lets the offline model answer user messages. @returns its calls, and the text of the answer */
async function converse(
  texts: readonly string[],
  answerCall: () => ToolAnswer = () => ok,
): Promise<{ readonly calls: readonly ToolCallPart[]; readonly text: string }> {
  const model = createOfflineModel()
  const messages: Message[] = texts.map((content) => ({ role: 'user', content, timestamp: 1 }))
  const calls: ToolCallPart[] = []
  for (;;) {
    let newCalls: ToolCallPart[] = []
    let text = ''
    const request = { purpose, system: [], messages, tools: [], maxOutput: 1000 }
    for await (const event of model.stream(request, new AbortController().signal)) {
      if (event.type !== 'done') continue
      messages.push(event.message)
      text = messageText(event.message)
      newCalls = event.message.content.filter((part) => part.type === 'toolCall')
    }
    if (newCalls.length === 0) return { calls, text }
    for (const call of newCalls) {
      calls.push(call)
      const common = { role: 'toolResult', toolCallId: call.id, toolName: call.name } as const
      messages.push({ ...common, ...answerCall(), isError: false, timestamp: 2 })
    }
  }
}

/** A search that returns one note, or nothing. */
function found(snippet: string | undefined): ToolAnswer {
  const results = [{ path: 'MEMORY.md', startLine: 3, endLine: 3, heading: '', score: 0.6, snippet, source: 'memory' }]
  const recall = {
    query: '',
    results: snippet === undefined ? [] : results,
    candidates: 1,
    provider: 'none',
    model: '',
    stale: false,
    minScore: 0.25,
    weights: null,
    notice: null,
  }
  return { content: [], details: toolDetailsSchema.parse({ kind: 'recall', recall }) }
}

describe('several messages before one answer', () => {
  it('writes every requested note, even if the last message is a question', async () => {
    const { calls } = await converse([
      'Remember that the key is under the pot',
      'Remember that the cat is called Tom',
      'What is the cat called?',
    ])
    const shown = calls.map(({ name, arguments: { content, query } }) => {
      const lastLine = String(content ?? query)
        .trim()
        .split('\n')
        .at(-1)
      return `${name} ${lastLine}`
    })
    expect(shown).toEqual([
      'write - 10:30 the key is under the pot',
      'write - 10:30 the cat is called Tom',
      'memory_search What is the cat called?',
    ])
  })
})

it('answers the text of the user, without what the app added', async () => {
  const { calls } = await converse([
    'The conversation so far was long.\n<summary>\n- The rent is 900\n</summary>',
    '[Tue 2026-01-20 10:30] How much is the rent?\n\n<changes>\nMEMORY.md:\n+ The rent is 950\n</changes>',
  ])
  expect(calls.map(({ arguments: input }) => input)).toEqual([{ query: 'How much is the rent?' }])
})

it('lists the notes of a day by the words of the user, so that notes that name the day are found', async () => {
  for (const day of ['11月26日', '昨天']) {
    const { calls } = await converse([`${day}做了什么`])
    expect(calls.map(({ arguments: input }) => input['query'])).toEqual([`${day} source:notes`])
  }
})

it('lists no properties that the app has written into notes', async () => {
  const ask = (snippet: string) => converse(['What did I note on 2026-01-15?'], () => found(snippet))
  expect((await ask('imported: "old notes, 2026-01-15"')).text).toBe('There are no notes for 2026-01-15.')
  expect((await ask('The cat is called Tom')).text).toContain('- The cat is called Tom [MEMORY.md:3]')
})

it('names the other day that a weekday can mean', async () => {
  const { text } = await converse(['周五'])
  expect(text).toMatch(/如果指的是另一天，请输入 \d{4}-\d\d-\d\d。$/)
  expect((await converse(['周五做了什么'])).text).not.toContain('另一天')
})

it.each([
  ['until November 5', '2025-11-05', '2026-11-05'],
  ['between November 3 and November 10', '2026-11-03', '2026-11-10'],
  ['from Thursday to Saturday', '2026-12-03', '2026-12-05'],
  ['what do I have to do by Friday?', '2026-11-30', '2026-12-04'],
  ['周五之前要做什么', '2026-11-30', '2026-12-03'],
  ['what happened before November 10?', '2025-11-09', '2026-11-09'],
])('lists the days of %s', (question, first, last) => {
  const intent = parseIntent(question, '2026-11-30')
  expect(intent.kind === 'period' && [formatDay(intent.first), formatDay(intent.last)]).toEqual([first, last])
})
