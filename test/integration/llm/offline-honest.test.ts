import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { messageText } from '../../../src/shared/chat/messages.ts'
import { openTestApp, untouchedConfig } from '../../support/app.ts'

/** A Tuesday. */
const now = () => new Date(2026, 10, 17, 10, 30)

async function openConversation(files: Readonly<Record<string, string>> = {}) {
  const { app, workspace } = await openTestApp({ files, config: untouchedConfig, now })
  const { chat, memory, sessions } = await app.agents.get('main')
  await memory.settle(20_000)
  await memory.waitForVectors()
  /** @param session undefined for a new chat */
  const say = async (text: string, session?: string) => {
    const sent = await chat.send({ text, session })
    await sent.ended
    const messages = (await sessions.get(sent.session)).messages().map(({ message }) => message)
    const last = messages.at(-1)
    const keep = last?.role === 'assistant' ? last.keep : undefined
    return { session: sent.session, messages, text: last ? messageText(last) : '', keep }
  }
  const log = () => readFile(join(workspace, 'memory/2026-11-17.md'), 'utf8')
  const search = async (query: string) => {
    await memory.settle(20_000)
    return (await memory.search(query)).results.map(({ path, snippet }) => `${path.split('/')[0]}: ${snippet}`)
  }
  /** @returns the summary of the chat */
  const end = async (session: string) => {
    await chat.endings.end(session)
    await chat.endings.check()
    await memory.settle(20_000)
    const name = (await readdir(join(workspace, 'memory'))).find((one) => one.length > 13)
    return name === undefined ? '' : readFile(join(workspace, 'memory', name), 'utf8')
  }
  return { say, log, search, end }
}

interface Conversation {
  readonly files: Readonly<Record<string, string>>
  /** Questions about people and things that are not in the notes. */
  readonly unknown: readonly string[]
  readonly known: readonly (readonly [question: string, line: string])[]
  readonly update: readonly [question: string, RegExp]
  readonly onTuesday: readonly [question: string, RegExp]
  readonly statement: readonly [text: string, keep: string]
  readonly reminder: readonly [text: string, note: string, RegExp]
}

const conversations: Readonly<Record<string, Conversation>> = {
  English: {
    files: {
      'MEMORY.md':
        '# Long-term memory\n\n- Our landlord is Mr Novak, phone 0221 4711.\n- Ida is allergic to latex gloves.\n',
      'memory/2026-11-02.md': '# 2026-11-02\n\n- 09:00 The parking space costs 60 euros a month\n',
      'memory/2026-11-15.md':
        '# 2026-11-15\n\n- 18:00 The parking space now costs 75 euros a month\n- 19:00 Paula sold me her kayak\n',
    },
    unknown: [
      'Who is Greta Lindqvist?',
      'Who is Mr. Brown?',
      "What is Oscar's phone number?",
      "When is Ida's birthday?",
      'wifi',
      'When does the swimming pool open?',
    ],
    known: [['What is our landlord called?', 'Our landlord is Mr Novak, phone 0221 4711.']],
    update: [
      'How much does the parking space cost?',
      /> The parking space now costs 75[^]+Older, from 2026-11-02:\n\n> The parking space costs 60/,
    ],
    onTuesday: [
      'What did I do on Tuesday?',
      /^There are no notes for 2026-11-17\. The nearest are from 2026-11-15:\n\n- 18:00/,
    ],
    statement: ['My new bike is locked behind the bakery.', 'My new bike is locked behind the bakery.'],
    reminder: ['Remind me tomorrow to water the ferns', 'tomorrow (2026-11-18): water the ferns', /no alarm/],
  },
  'Simplified Chinese': {
    files: {
      'MEMORY.md':
        '# 长期记忆\n\n- 李建国的电话是 13800001111。\n- 小雨对花生过敏。\n- 奶奶的生日是五月三号，饭卡密码 4471。\n',
      'memory/2026-11-02.md': '# 2026-11-02\n\n- 09:00 停车费每个月 300 块\n',
      'memory/2026-11-15.md': '# 2026-11-15\n\n- 18:00 停车费涨到每个月 380 块\n- 19:00 和同事去爬了香山\n',
    },
    unknown: [
      '王丽的电话',
      '李叔叔的电话',
      '李建国的生日',
      '赵小兰是谁？',
      '会员卡密码',
      'wifi 密码',
      '游泳馆几点开门',
    ],
    known: [['李建国的电话是多少', '李建国的电话是 13800001111。']],
    update: ['停车费多少钱', /> 停车费涨到每个月 380 块[^]+较早的记录（2026-11-02）：\n\n> 停车费每个月 300 块/],
    onTuesday: ['星期二我做了什么', /^2026-11-17 没有任何记录。离得最近的是 2026-11-15 的记录：\n\n- 18:00/],
    statement: ['新自行车锁在面包店后面，后天搬回来。', '新自行车锁在面包店后面，后天（2026-11-19）搬回来。'],
    reminder: ['提醒我明天早上给绿萝浇水', '明天（2026-11-18）早上给绿萝浇水', /没有闹钟/],
  },
}

describe.each(Object.entries(conversations))('the offline model in %s', { timeout: 60_000 }, (_language, given) => {
  it('answers with the line about the question, or says what no note has', async () => {
    const { say } = await openConversation(given.files)
    for (const question of given.unknown) {
      const { text } = await say(question)
      expect(text, question).toMatch(/^(?:I found nothing|No note mentions|The nearest line does not|.*没有)/)
    }
    for (const [question, line] of given.known) expect((await say(question)).text).toContain(`> ${line}\n`)
    expect((await say(given.update[0])).text).toMatch(given.update[1])
  })

  it('shows the nearest day if a day has no notes', async () => {
    const { say } = await openConversation(given.files)
    expect((await say(given.onTuesday[0])).text).toMatch(given.onTuesday[1])
  })

  it('offers to keep a statement, and notes a reminder with its date', async () => {
    const { say, log } = await openConversation(given.files)
    expect((await say(given.statement[0])).keep).toBe(given.statement[1])
    expect((await say(given.known[0]?.[0] ?? '')).keep).toBeUndefined()
    const [request, note, answer] = given.reminder
    const { text } = await say(request)
    expect(text).toContain(note)
    expect(text).toMatch(answer)
    expect(await log()).toContain(`- 10:30 ${note}\n`)
  })
})

it('answers with the line that names the day or the thing', async () => {
  const answers: [question: string, expected: RegExp][] = [
    ['What do I have tomorrow?', /^Notes for 2026-11-18:\n\n- call Mum at 6pm tomorrow \(2026-11-18\)/],
    ['what happens next week?', /^Your memory says:\n\n> .{0,12}the report is due next Friday \(2026-11-27\)/],
    ['明天有什么事？', /^2026-11-18 的记录：\n\n- call Mum at 6pm/],
    ['What is on the day after tomorrow?', /^There are no notes for 2026-11-19/],
    ['What happens on December 9?', /^Your memory says:\n\n> .{0,12}the dentist appointment is on December 9/],
    ['What did I do last Sunday?', /last Sunday \(2026-11-15\) I rode to Tervuren/],
    ['Forget my new bike', /^I changed nothing[^]+> .{0,12}I have a new bike/],
  ]
  const { say } = await openConversation()
  await say('Remember that the dentist appointment is on December 9 at 11')
  await say('Remind me to call Mum at 6pm tomorrow')
  await say('Remember that the report is due next Friday')
  await say('Remember that I have a new bike')
  await say('Remember that last Sunday I rode to Tervuren')
  for (const [question, expected] of answers) expect((await say(question)).text).toMatch(expected)
})

it('shows a note, but not the chat that requested it', async () => {
  const { say, search } = await openConversation()
  const requests: [query: string, request: string][] = [
    ['database', 'Remember that we chose PostgreSQL for the database'],
    ['rent', 'note: the rent is 1,450 euros'],
    ['Fridays', 'Fridays are off, please remember this'],
    ['房租', '请帮我记住房租每月 4500'],
  ]
  for (const [, request] of requests) await say(request)
  for (const [query, request] of requests) {
    const results = await search(query)
    expect(results.filter((result) => !result.startsWith('memory: '))).toEqual([])
    expect(results.some((result) => request.includes(result.replace(/^memory: 10:30 /, '')))).toBe(true)
  }
})

it('keeps no statement that the user did not keep: the summary of the chat says it, and answers quote it as said', async () => {
  const { say, log, end } = await openConversation()
  const { session, keep } = await say('My cholesterol was 240 at the check-up in March.')
  expect(keep).toBe('My cholesterol was 240 at the check-up in March.')
  for (const request of ['Translate this: my iron is low', 'Show my to-do list', '帮我写一封信给房东'])
    expect((await say(request, session)).keep).toBeUndefined()
  const lines = (await end(session)).split('\n').filter((line) => line.startsWith('- '))
  expect(lines).toEqual([expect.stringMatching(/^- My cholesterol was 240 at the check-up in March\. \[sessions/)])
  await expect(log()).rejects.toThrow('ENOENT')
  expect((await say('What was my cholesterol in March?')).text).toMatch(/^Your notes do not mention this, but you said/)
})

it('links the line that a correction corrects, and offers to keep a figure that no note has', async () => {
  const { say } = await openConversation({
    'MEMORY.md': '# Long-term memory\n\n- The deposit for the flat is 800 euros.\n- 尿酸是 452\n',
  })
  for (const [text, line] of [
    ['correction: the deposit for the flat is 900 euros', 'The deposit for the flat is 800 euros.'],
    ['更正：尿酸是 425，不是 452', '尿酸是 452'],
  ] as const) {
    const { text: answer, keep } = await say(text)
    expect(answer).toContain(`> ${line}\n\n[MEMORY.md:`)
    expect(keep).toBe(text)
  }
  expect((await say('Locker 42')).keep).toBe('Locker 42')
  expect((await say('deposit flat 800')).keep).toBeUndefined()
})
