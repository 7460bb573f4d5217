import { afterAll, expect, it } from 'vitest'
import { until } from '../support/folder.ts'
import { openTestServer } from '../support/app.ts'
import { closeBrowser, openPage } from '../support/browser.ts'
import { startModelServer } from '../support/model-server.ts'
import { rounds } from '../support/thorough.ts'

afterAll(closeBrowser)

/** About 1,000 tokens. */
const part = (number: number) => `Part ${number}. ${'some words of a long talk '.repeat(160)}`

const looks = [
  ['zh-CN', '压缩并重新发送', '上下文窗口只有 4,096 个词元，因此“为回答预留的词元数”'],
  ['en-US', 'Compact and send again', 'The context window of 4,096 tokens lowers “Tokens kept free for the answer”'],
] as const
it.each(looks.slice(0, rounds(1, 2)))(
  'without automatic compaction, a chat that is too long is compacted and sent again by a button, %s',
  async (locale, button, lowered) => {
    const model = await startModelServer({ text: 'ok' })
    // Counts tokens.
    model.window = 1_000_000
    model.respond = (body) => {
      const text = JSON.stringify(body)
      if (text.includes('Summarise the conversation below')) return { text: '## Goal\n- Talk [1]' }
      return { text: text.includes('Memory flush.') ? 'NO_REPLY' : 'I see.' }
    }
    const server = await openTestServer({
      config: `providers: { anthropic: { baseUrl: "${model.url}" } }
models: { anthropic/m: { contextWindow: 4096, maxOutput: 500 } }
agents:
  defaults: { compaction: { enabled: false }, memory: { embedding: { provider: none } } }
  list: [{ id: main, workspace: "{{workspace}}", model: anthropic/m }]
`,
      env: { ANTHROPIC_API_KEY: 'k' },
    })
    const page = await openPage({ locale })
    await page.goto(server.url)
    const composer = page.getByRole('textbox', { name: /^(Message|消息)$/ })
    const compact = page.getByRole('button', { name: button })
    const chatRequests = () =>
      model.requests.filter(({ text }) => !/Memory flush|Summarise the conversation/.test(text))
    let sent = 0
    while (!(await compact.isVisible())) {
      sent += 1
      await composer.fill(part(sent))
      await composer.press('Enter')
      await until(async () => chatRequests().length === sent || (await compact.isVisible()))
    }
    expect(chatRequests()).toHaveLength(sent - 1)
    await compact.click()
    await page.getByText('I see.').last().waitFor()
    await until(async () => (await page.getByRole('alert').count()) === 0 && chatRequests().length === sent)
    expect(chatRequests().at(-1)?.text).toContain(`Part ${sent}. `)
    await page.goto(page.url().replace('/chat/', '/inspect/sent/'))
    await page.getByTestId('lowered-setting').first().waitFor()
    expect(await page.getByTestId('lowered-setting').first().innerText()).toContain(lowered)
  },
)
