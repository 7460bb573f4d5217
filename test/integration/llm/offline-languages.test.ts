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
  readonly save: readonly [string, note: string, RegExp]
  readonly ask: readonly [string, RegExp]
  readonly unknown: readonly [string, RegExp]
  readonly unwritable: readonly [string, RegExp]
}[] = [
  {
    language: 'English',
    hello: ['hi there', /^No language model is connected, so I do two things/],
    save: ['please note that the gate code is 4711', 'the gate code is 4711', /^Noted in today’s log/],
    ask: ['whats the gate code', /^Your memory says:\n\n> the gate code is 4711\n/],
    unknown: [
      'Who painted the fence?',
      /^No note mentions “fence”, “painted”\.\n\nI found nothing in your memory about “Who painted the fence\?”/,
    ],
    unwritable: ['remember the code is 12\u000034', /^That did not work: .+NUL/],
  },
  {
    language: 'Simplified Chinese',
    hello: ['嗨，你好', /^目前没有连接语言模型，所以我只做两件事/],
    save: ['请帮我记一下门禁密码是4711', '门禁密码是4711', /^已记入今天的日记/],
    ask: ['门禁密码是多少', /^你的记忆里写着：\n\n> 门禁密码是4711\n/],
    unknown: ['谁刷了围墙？', /^没有笔记提到“围墙”。\n\n在你的记忆里没有找到与“谁刷了围墙？”/],
    unwritable: ['请记住密码是12\u000034', /^没有成功：.+NUL/],
  },
  {
    language: 'Traditional Chinese',
    hello: ['您好', /^目前沒有連接語言模型，所以我只做兩件事/],
    save: ['請你記住大門密碼是4711', '大門密碼是4711', /^已記入今天的日記/],
    ask: ['大門密碼多少啊', /^你的記憶裡寫著：\n\n> 大門密碼是4711\n/],
    unknown: ['誰修好了鋼琴？', /^沒有筆記提到「鋼琴」「修好」。\n\n在你的記憶裡沒有找到與「誰修好了鋼琴？」/],
    unwritable: ['請記住密碼是12\u000034', /^沒有成功：.+NUL/],
  },
]

describe('the offline model in the user’s language', () => {
  it.each(conversations)(
    'answers in $language: greeting, note, question, unknown fact, and text that cannot be saved',
    async ({ language, hello, save, ask, unknown, unwritable }) => {
      const locale = language === 'Traditional Chinese' ? 'zh-TW' : 'en'
      const config = `interface: { locale: ${locale} }\nagents: { list: [{ id: main, workspace: "{{workspace}}" }] }\n`
      const { say, settled, log, newSession } = await openConversation({ config })
      expect(await say(hello[0])).toMatch(hello[1])
      expect(await say(save[0])).toMatch(save[2])
      const noted = await log()
      expect(noted).toMatch(new RegExp(`^- 10:30 ${save[1]}\n`, 'm'))
      await settled()
      newSession()
      // An open chat does not see a saved password again.
      expect(await say(ask[0])).toMatch(ask[1])
      newSession()
      expect(await say(unknown[0])).toMatch(unknown[1])
      expect(await say(unwritable[0])).toMatch(unwritable[1])
      expect(await log()).toBe(noted)
    },
  )

  it('answers Japanese and Korean in the system language that a window reported', async () => {
    const { app, say, newSession } = await openConversation({ files: { 'MEMORY.md': '- 会議は木曜です\n' } })
    app.settings.setSystemLanguage('zh-TW')
    expect(await say('會議 👍')).toMatch(/^你的記憶裡寫著/)
    newSession()
    expect(await say('会議はいつですか')).toMatch(/^你的記憶裡寫著：\n\n> 会議は木曜です/)
    newSession()
    await app.settings.set([['interface', 'locale'], 'en'])
    expect(await say('울타리는 누가 칠했어?')).toMatch(/^I found nothing in your memory about “울타리는/)
  })

  it('writes refused facts to no file, even when the chat ends', async () => {
    const { app, say, workspace } = await openConversation()
    await say('I prefer green tea in the morning.')
    for (const [told, refused, said] of [
      ['My locker is number 212 in the cellar.', "don't remember that", /^I will not save that/],
      ['My locker is number 212 in the cellar.', 'forget that', /^I will not save that/],
      ['我的储物柜在地下室，号码是212。', '这个不要记', /^好的，这个我不会记下来/],
    ] as const) {
      await say(told)
      expect(await say(refused)).toMatch(said)
    }
    await say("don't remember that: My locker is number 212 in the cellar.")
    await say('/new')
    await app.close()
    const files = await readdir(join(workspace, 'memory'))
    const written = await Promise.all(files.map((file) => readFile(join(workspace, 'memory', file), 'utf8')))
    expect(written.join('\n')).toContain('green tea')
    expect(written.join('\n')).not.toContain('212')
  })
})
