import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { messageText } from '../../../src/shared/chat/messages.ts'
import { openTestApp, type TestAppOptions } from '../../support/app.ts'

/** A Sunday. */
const now = () => new Date(2026, 10, 22, 10, 30)

/** The app with the offline model, and a way to say something in it and hear the answer. */
async function openConversation(options: TestAppOptions = {}) {
  const { app, workspace, home } = await openTestApp({ now, ...options })
  const agent = await app.agents.get('main')
  await agent.memory.settle(20_000)
  let session: string | undefined
  const say = async (text: string) => {
    const sent = await agent.chat.send({ text, session })
    await sent.ended
    session = sent.session
    const last = (await agent.sessions.get(sent.session)).messages().at(-1)
    return last ? messageText(last.message) : ''
  }
  const settled = () => agent.memory.settle(20_000)
  const log = () => readFile(join(workspace, 'memory/2026-11-22.md'), 'utf8')
  const newSession = () => {
    session = undefined
  }
  return { app, agent, workspace, home, say, settled, log, newSession }
}

const conversations: readonly {
  readonly language: string
  readonly hello: readonly [string, RegExp]
  readonly thanks: readonly [string, RegExp]
  readonly save: readonly [string, note: string, RegExp]
  readonly ask: readonly [string, RegExp]
  readonly unknown: readonly [string, RegExp]
}[] = [
  {
    language: 'English',
    hello: ['hi there', /^Hello!/],
    thanks: ['thanks a lot!', /welcome/],
    save: ['please note that the gate code is 4711', 'The gate code is 4711', /^Noted in today’s log/],
    ask: ['whats the gate code', /^Your memory says:\n\n> The gate code is 4711\n/],
    unknown: ['Who painted the fence?', /^I found nothing in your memory about “Who painted the fence\?”/],
  },
  {
    language: 'Simplified Chinese',
    hello: ['嗨，你好', /^你好！我替你记录/],
    thanks: ['太感谢了', /^不客气/],
    save: ['请帮我记一下门禁密码是4711', '门禁密码是4711', /^已记入今天的日志/],
    ask: ['门禁密码是多少', /^你的记忆里写着：\n\n> 门禁密码是4711\n/],
    unknown: ['谁刷了围墙？', /^在你的记忆里没有找到与“谁刷了围墙？”/],
  },
  {
    language: 'Traditional Chinese',
    hello: ['您好', /^你好！我替你記錄/],
    thanks: ['謝謝你', /^不客氣/],
    save: ['請你記住大門密碼是4711', '大門密碼是4711', /^已記入今天的日誌/],
    ask: ['大門密碼多少啊', /^你的記憶裡寫著：\n\n> 大門密碼是4711\n/],
    unknown: ['誰修好了鋼琴？', /^在你的記憶裡沒有找到與「誰修好了鋼琴？」/],
  },
  {
    language: 'Japanese',
    hello: ['こんにちは', /^こんにちは！/],
    thanks: ['ありがとう', /^どういたしまして/],
    save: ['覚えて：玄関の暗証番号は4711', '玄関の暗証番号は4711', /^今日のログに書き留めました/],
    ask: ['玄関の暗証番号は何ですか', /^記憶にはこう書かれています：\n\n> 玄関の暗証番号は4711\n/],
    unknown: ['塀を塗ったのは誰？', /^「塀を塗ったのは誰？」について/],
  },
  {
    language: 'Korean',
    hello: ['안녕하세요', /^안녕하세요!/],
    thanks: ['고마워요', /^천만에요/],
    save: ['기억해: 현관 비밀번호는 4711', '현관 비밀번호는 4711', /^오늘 로그에 적어 두었습니다/],
    ask: ['현관 비밀번호가 뭐야?', /^기억에는 이렇게 적혀 있습니다:\n\n> 현관 비밀번호는 4711\n/],
    unknown: ['울타리는 누가 칠했어?', /^“울타리는 누가 칠했어\?”에 대해/],
  },
]

describe('M40 M48 the offline model in the user’s language', () => {
  it.each(conversations)(
    'M40 M48: $language: greeting, thanks, note, question and what is not known',
    async ({ language, hello, thanks, save, ask, unknown }) => {
      const locale = language === 'Traditional Chinese' ? 'zh-TW' : 'en'
      const config = `interface: { locale: ${locale} }\nagents: { list: [{ id: main, workspace: "{{workspace}}" }] }\n`
      const { say, settled, log } = await openConversation({ config })
      expect(await say(hello[0])).toMatch(hello[1])
      expect(await say(save[0])).toMatch(save[2])
      expect(await log()).toContain(`\n${save[1]}\n`)
      await settled()
      expect(await say(ask[0])).toMatch(ask[1])
      expect(await say(unknown[0])).toMatch(unknown[1])
      expect(await say(thanks[0])).toMatch(thanks[1])
    },
  )

  it.each([
    ['请帮我记一下周四评审', '周四评审'],
    ['麻烦帮我记住客户叫李明', '客户叫李明'],
    ['你记住我住12楼', '我住12楼'],
    ['請你記住我不吃香菜', '我不吃香菜'],
    ['帮我记录一下水表读数48213', '水表读数48213'],
    ['把下周一停电记下来', '下周一停电'],
    ['提醒我明天交房租', '明天交房租'],
    ['覚えて：会議は木曜', '会議は木曜'],
    ['기억해: 회의는 목요일', '회의는 목요일'],
    ['keep in mind that Bob is vegetarian', 'Bob is vegetarian'],
    ["don't forget the keys are under the pot", 'The keys are under the pot'],
  ])('M40: %j is noted', async (message, note) => {
    const { say, log } = await openConversation()
    await say(message)
    expect(await log()).toMatch(new RegExp(`^## 10:30\n${note}\n`, 'm'))
  })

  it.each([
    ['What day is it?', 'It is Sunday, 22 November 2026', '10:30'],
    ['今天星期几', '2026年11月22日星期日', '10:30'],
    ['現在幾點', '2026年11月22日', '10:30'],
    ['今日は何曜日ですか', '2026年11月22日日曜日', '10:30'],
    ['오늘 무슨 요일이야?', '2026년 11월 22일 일요일', '10:30'],
    ['明天星期几', '2026-11-23', '星期一'],
  ])('M40: %j is told', async (message, day, more) => {
    const { say } = await openConversation()
    const answer = await say(message)
    expect(answer).toContain(day)
    expect(answer).toContain(more)
  })

  it.each([
    ['delete the note about the gate code', /^I cannot delete/],
    ['把门禁密码 4711 改成 5822', /^我不能删除/],
    ['忘掉 gate code', /^我不能删除/],
    ['gate code のメモを消して', /^書かれていることを消したり/],
    ['gate code 메모 지워줘', /^적혀 있는 것을 지우거나/],
  ])('M40: %j: who may do it is told, and where the line is; nothing is written', async (message, said) => {
    const note = '# 2026-11-20\n\n## 09:00 - gate code\n门禁密码 gate code 4711\n'
    const { say, workspace } = await openConversation({ files: { 'memory/2026-11-20.md': note } })
    const answer = await say(message)
    expect(answer).toMatch(said)
    expect(answer).toContain('[memory/2026-11-20.md:4]')
    expect(await readdir(join(workspace, 'memory'))).toEqual(['2026-11-20.md'])
    expect(await readFile(join(workspace, 'memory/2026-11-20.md'), 'utf8')).toBe(note)
  })

  it('M40: how many notes there are, what is in them, and what is known of the user is told from the files', async () => {
    const { say } = await openConversation({
      files: {
        'USER.md': '# About me\n\n- Name: Ann\n- Language:\n',
        'MEMORY.md': '# Memory\n\n- Chose PostgreSQL\n- Rent is due on the 5th\n',
        'memory/2026-11-20.md': '# 2026-11-20\n\n## 09:00 - Bought a kettle\nBought a kettle\n',
      },
    })
    expect(await say('how many notes do I have?')).toMatch(/^There are 3 notes in your memory; it has \d+ files/)
    expect(await say('我有多少条笔记')).toMatch(/^你的记忆里有 3 条记录/)
    const digest = await say('summarize my notes')
    for (const part of ['Chose PostgreSQL [MEMORY.md:3]', '2026-11-20 09:00 Bought a kettle [memory/2026-11-20.md:4]'])
      expect(digest).toContain(part)
    const about = await say('what do you know about me?')
    expect(about).toContain('- Name: Ann [USER.md:3]')
    expect(about).not.toContain('Language')
  })

  it.each([
    [
      "I'm allergic to penicillin, and could you also tell me when the release is?",
      'Release is on 3 December',
      /not noted what you told me beside that \(“I'm allergic to penicillin”\)/,
    ],
    ['我对青霉素过敏，另外能告诉我发布是什么时候吗？', '发布在12月3日', /没有记下来：“我对青霉素过敏”/],
    ['我對青黴素過敏，順便問一下，發布是什麼時候？', '發布在12月3日', /沒有記下來：「我對青黴素過敏」/],
    [
      'ペニシリンアレルギーなんですが、リリースはいつですか？',
      'リリースは12月3日',
      /「ペニシリンアレルギーなんです」）は書き留めていません/,
    ],
    [
      '페니실린 알레르기가 있는데, 출시가 언제인지도 알려줄래?',
      '출시는 12월 3일',
      /“페니실린 알레르기가 있는데”\)은 적어 두지 않았습니다/,
    ],
  ])('M40 M48: %j: the question is answered, and that the rest was not noted is said', async (asked, note, said) => {
    const files = { 'memory/2026-11-20.md': `## 09:00\n${note}\n` }
    const { say, workspace } = await openConversation({ files })
    const answer = await say(asked)
    expect(answer).toContain(`> ${note}\n\n[memory/2026-11-20.md:2]`)
    expect(answer).toMatch(said)
    expect(await readdir(join(workspace, 'memory'))).toEqual(['2026-11-20.md'])
  })

  it.each([
    ['remember that my locker is 212', 'forget that', 'My locker is 212'],
    ['请记住我的车位是212', '刚才那条吧忘掉', '我的车位是212'],
    ['請記住我的車位是212', '剛剛那個忘掉好了', '我的車位是212'],
    ['覚えて：ロッカーは212番', 'さっきの忘れて', 'ロッカーは212番'],
    ['기억해: 사물함은 212번', '방금 건 잊어줘', '사물함은 212번'],
  ])('M40 M48: %j, %j: where the last note of the conversation stands is told', async (told, forget, note) => {
    const { say, log } = await openConversation({
      files: { 'memory/2026-11-22.md': '# 2026-11-22\n\n## 09:00\nother\n' },
    })
    await say(told)
    await say('ok')
    const answer = await say(forget)
    const line = (await log()).split('\n').indexOf(note) + 1
    expect(line).toBeGreaterThan(4)
    expect(answer).toContain(`> ${note}\n\n[memory/2026-11-22.md:${line}]`)
  })

  it('M40: what was said and not noted is not kept when it is to be forgotten', async () => {
    const { app, say, workspace } = await openConversation()
    await say('My locker is number 212 in the cellar.')
    expect(await say('forget that')).toMatch(/^I keep no note of that/)
    await say('/new')
    await app.close()
    expect(await readdir(join(workspace, 'memory')).catch(() => [])).toEqual([])
  })

  it('M40: what is to be forgotten is looked for by its own words', async () => {
    const { agent, say } = await openConversation({ files: { 'MEMORY.md': '- The wifi password is hunter22\n' } })
    expect(await say('Forget the wifi password please')).toContain('[MEMORY.md:1]')
    const messages = (await agent.sessions.get((await agent.sessions.list())[0]?.id ?? '')).messages()
    const calls = messages.flatMap(({ message }) =>
      message.role === 'assistant' ? message.content.filter((part) => part.type === 'toolCall') : [],
    )
    expect(calls[0]).toMatchObject({ name: 'memory_search', arguments: { query: 'wifi password' } })
  })

  it('M40: one note in one file is told as one', async () => {
    const { say, workspace } = await openConversation({ files: { 'MEMORY.md': '- Rent is due on the 5th\n' } })
    const files = (await readdir(workspace)).filter((name) => name.endsWith('.md'))
    expect(files).toEqual(['MEMORY.md'])
    expect(await say('how many notes do I have?')).toMatch(/^There is 1 note in your memory; it has 1 file in all:/)
  })

  it('M40: who has nothing is told so', async () => {
    const { say } = await openConversation({ files: { 'USER.md': '# About me\n\n- Name:\n' } })
    expect(await say('what do you know about me?')).toMatch(/^Nothing is written about you yet/)
    expect(await say('你知道我什么')).toMatch(/^还没有写下任何关于你的内容/)
  })

  it.each([
    ['My locker is number 212 in the cellar.', "don't remember that", /^I keep no note of that/],
    ['我的储物柜在地下室，号码是212。', '这个不要记', /^好的，这个我不会记下来/],
    ['私のロッカーは地下の212番です。', 'これは覚えないで', /^はい、これは書き留めません/],
    ['제 사물함은 지하 212번입니다.', '이건 기억하지 마', /^네, 이것은 적어 두지 않습니다/],
  ])('M40 M36: %j, %j: it is in no file, when the conversation ends neither', async (told, refused, said) => {
    const { app, say, workspace } = await openConversation()
    await say('I prefer green tea in the morning.')
    await say(told)
    expect(await say(refused)).toMatch(said)
    await say(`${refused}: ${told}`)
    await say('/new')
    await app.close()
    const files = await readdir(join(workspace, 'memory')).catch(() => [])
    const written = await Promise.all(files.map((file) => readFile(join(workspace, 'memory', file), 'utf8')))
    expect(written.join('\n')).toContain('green tea')
    expect(written.join('\n')).not.toContain('212')
  })

  it.each([
    ['remember the code is 12\u000034', /^I could not note that: .+NUL/],
    ['请记住密码是12\u000034', /^这句没能记下来：.+NUL/],
    ['請記住密碼是12\u000034', /^這句沒能記下來：.+NUL/],
  ])('M40 M48: %j cannot be written, and the words for it are plain', async (message, said) => {
    const { say, workspace } = await openConversation()
    expect(await say(message)).toMatch(said)
    expect(await readdir(join(workspace, 'memory')).catch(() => [])).toEqual([])
  })

  it('M40: what is written already is not taken back by a word', async () => {
    const { say } = await openConversation()
    await say('remember that my locker is 212')
    expect(await say("don't remember that")).toMatch(
      /^I cannot delete [^]+> My locker is 212\n\n\[memory\/2026-11-22\.md:4\]/,
    )
  })

  it('M40 M48: a window in the system’s language tells which one that is', async () => {
    const { app, say, newSession } = await openConversation()
    app.settings.hearSystemLanguage('ja-JP')
    expect(await say('了解')).toBe('わかりました。')
    newSession()
    app.settings.hearSystemLanguage('zh-TW')
    expect(await say('了解')).toBe('好的。')
    await app.settings.set([['interface', 'locale'], 'en'])
    newSession()
    expect(await say('了解')).toBe('All right.')
  })

  it('M40: what was done last week, and what was noted on a day, comes from the logs of those days', async () => {
    const { say } = await openConversation({
      files: {
        'memory/2026-11-08.md': '## 09:00 - 上上周的事\n上上周的事\n',
        'memory/2026-11-10.md': '# 2026-11-10\n\n## 09:00 - 修好了登录页\n修好了登录页\n',
        'memory/2026-11-13.md':
          '## 16:20 - 和房东谈续租，条件是每月八千，押一付三，从一月…\n和房东谈续租，条件是每月八千，押一付三，从一月开始\n',
        'memory/2026-11-15-续租.md': '# 2026-11-15: 续租\n\n一段对话的结尾（sessions/x.jsonl）。\n\n**用户:** 续租\n',
        'memory/2026-11-20.md': '## 11:00 - 预算定了八万元\n预算定了八万元\n',
        'memory/2026-11-21.md': '- 11月20日的预算有人问起，记了什么要再查\n',
      },
    })
    expect(await say('上周我做了什么')).toBe(
      [
        '2026-11-09 – 2026-11-15 的记录：',
        '',
        '**2026-11-10**',
        '',
        '- 09:00 修好了登录页 [memory/2026-11-10.md:4]',
        '',
        '**2026-11-13**',
        '',
        '- 16:20 和房东谈续租，条件是每月八千，押一付三，从一月开始 [memory/2026-11-13.md:2]',
        '',
        '**2026-11-15**',
        '',
        '- 2026-11-15: 续租 [memory/2026-11-15-续租.md:1]',
      ].join('\n'),
    )
    expect(await say('11月20日记了什么')).toBe('2026-11-20 的记录：\n\n- 11:00 预算定了八万元 [memory/2026-11-20.md:2]')
    expect(await say('What did I do on November 20?')).toContain('[memory/2026-11-20.md:2]')
    expect(await say('昨日何をメモした？')).toMatch(/^2026-11-21 の記録：\n\n- 11月20日/)
    expect(await say('지난달에 뭐 했지?')).toBe('2026-10-01 – 2026-10-31에는 적어 둔 것이 없습니다.')
  })

  it('M40: a Latin word glued to Han is found; what only seems to ask for a note is a question', async () => {
    const { say } = await openConversation({
      files: {
        'MEMORY.md':
          '# 长期记忆\n\n- 团队用Slack沟通，频道是#general\n- 我的Slack handle是@lin_wei\n- 上次讨论的方案是先上灰度再全量\n',
      },
    })
    expect(await say('我的Slack handle是什么')).toMatch(
      /^你的记忆里写着：\n\n> 我的Slack handle是@lin_wei\n\n\[MEMORY.md:4\]/,
    )
    expect(await say('记得上次我们讨论的方案是什么')).toContain('> 上次讨论的方案是先上灰度再全量')
  })

  it('M40: asked when, the day of the note is told from the day that it speaks of', async () => {
    const { say } = await openConversation({
      files: {
        'memory/2026-11-10.md': '## 09:00 - 评审\n季度评审在12月3日下午三点\n',
        'memory/2026-11-12.md': '## 09:00 - 换锁\n门锁换成了指纹锁\n',
      },
    })
    const written = await say('季度评审是什么时候？')
    expect(written).toMatch(
      /^时间写在原文里：\n\n> 季度评审在12月3日下午三点\n\n\[memory\/2026-11-10.md:2\] · 记于 2026-11-10/,
    )
    expect(await say('门锁什么时候换的')).toMatch(/^原文没有写明日期；这条记于 2026-11-12：\n\n> 门锁换成了指纹锁\n/)
  })

  it('M40: a long message is not said back whole', async () => {
    const { say } = await openConversation()
    const answer = await say(`我想问一下，${'之前我们聊过很多很多不同的事情，'.repeat(20)}那个紫色河马叫什么名字？`)
    expect(answer).toMatch(/^在你的记忆里没有找到与“我想问一下/)
    expect(answer.length).toBeLessThan(200)
  })

  it('M29 M36 M40: /new keeps short statements under a heading of their language, and nothing that was not said by the user', async () => {
    const { app, say, workspace } = await openConversation()
    await say('我对青霉素过敏。')
    await say('预算定了八万元。')
    await say('护照放在哪里？')
    await say('谢谢')
    await say('/new')
    // What the old conversation leaves is written beside the new one.
    await app.close()
    const log = await readFile(join(workspace, 'memory/2026-11-22.md'), 'utf8')
    expect(log).toBe('# 2026-11-22\n\n## 10:30 - 对话中保留的内容\n- 我对青霉素过敏。\n- 预算定了八万元。\n')
    const names = (await readdir(join(workspace, 'memory'))).filter((name) => name !== '2026-11-22.md')
    expect(names).toEqual([expect.stringMatching(/^2026-11-22-\p{Script=Han}{2,}(?:-\p{Script=Han}{2,})*\.md$/u)])
    const kept = await readFile(join(workspace, 'memory', names[0] ?? ''), 'utf8')
    expect(kept).toContain('一段对话的结尾（sessions/')
    expect(kept).toContain('**用户:** 我对青霉素过敏。')
    expect(kept).not.toMatch(/cut off/)
  })

  it('M40: an answer that broke off is gone on with, and our request to do so is nobody’s words', async () => {
    const { agent, app, say, workspace } = await openConversation({
      files: { 'MEMORY.md': '- 护照放在书房第二个抽屉\n' },
    })
    const answer = await say('护照放在哪里')
    expect(answer).toContain('> 护照放在书房第二个抽屉')
    const { id } = (await agent.sessions.list())[0] ?? { id: '' }
    const transcript = await agent.sessions.get(id)
    const last = transcript.messages().at(-1)
    if (last?.message.role !== 'assistant') throw new Error('no answer')
    const broken = { ...last.message, content: [{ type: 'text' as const, text: answer.slice(0, 20) }] }
    await transcript.moveTo(transcript.parentOf(last.id))
    await transcript.appendMessage({ ...broken, stopReason: 'aborted' })
    await (
      await agent.chat.resume(id)
    ).ended
    expect(messageText((await agent.sessions.get(id)).messages().at(-1)?.message ?? broken)).toBe(answer.slice(20))
    await say('/new')
    await app.close()
    const names = await readdir(join(workspace, 'memory'))
    const written = await Promise.all(names.map((name) => readFile(join(workspace, 'memory', name), 'utf8')))
    expect(written.join('\n')).not.toContain('cut off')
  })

  it.each([
    [
      'ja',
      '私はペニシリンアレルギーです。',
      '会話から残した内容',
      /^2026-11-22-[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Han}ー-]+\.md$/u,
    ],
    ['ko', '저는 페니실린 알레르기가 있어요.', '대화에서 남긴 내용', /^2026-11-22-[\p{Script=Hangul}-]+\.md$/u],
  ])('M29 M36: the same in %s', async (_, statement, heading, name) => {
    const { app, say, workspace } = await openConversation()
    await say(statement)
    await say('/new')
    await app.close()
    const log = await readFile(join(workspace, 'memory/2026-11-22.md'), 'utf8')
    expect(log).toBe(`# 2026-11-22\n\n## 10:30 - ${heading}\n- ${statement}\n`)
    const names = (await readdir(join(workspace, 'memory'))).filter((file) => file !== '2026-11-22.md')
    expect(names).toEqual([expect.stringMatching(name)])
  })

  it('M14 M40: with only earlier conversations to quote, it quotes the user, and never its own “nothing found”', async () => {
    const { say, settled, newSession } = await openConversation()
    expect(await say('紫色河马叫什么名字？')).toMatch(/^在你的记忆里没有找到/)
    newSession()
    await settled()
    const again = await say('紫色河马叫什么名字？')
    expect(again).toMatch(/^在你的记忆里没有找到/)
    expect(again).not.toContain('>')
    newSession()
    await say('紫色河马叫阿宝。')
    newSession()
    await settled()
    expect(await say('紫色河马叫什么名字？')).toMatch(/^笔记里没有写，但你在之前的对话里说过：\n\n> 紫色河马叫阿宝。/)
  })
})
