import { afterAll, describe, it } from 'vitest'
import { openTestServer } from '../support/app.ts'
import { closeBrowser, keepScreenshot, openPage } from '../support/browser.ts'

afterAll(closeBrowser)

const files = { 'memory/2026-11-10.md': '# 2026-11-10\n\n## 09:00 - 修好了登录页\n修好了登录页\n' }
const now = () => new Date(2026, 10, 18, 10, 30)

describe('offline model in a browser', () => {
  it.each([
    [
      'zh-CN',
      'light',
      1024,
      [
        ['上周我做了什么', '的记录：'],
        ['请帮我记一下周四下午三点评审', '已记入今天的日志'],
        ['评审是什么时候', '你的记忆里写着'],
      ],
    ],
    [
      'zh-TW',
      'dark',
      360,
      [
        ['你好', '我只做兩件事'],
        ['請你記住大門密碼是4711', '已記入今天的日誌'],
        ['大門密碼多少啊', '你的記憶裡寫著'],
      ],
    ],
  ] as const)('answers in %s, %s', async (locale, colorScheme, width, exchanges) => {
    // 你好 is the same in both scripts, so the interface's language decides.
    const config = `interface: { locale: ${locale === 'zh-TW' ? 'zh-TW' : 'system'} }\nagents: { list: [{ id: main, workspace: "{{workspace}}" }] }\n`
    const { url } = await openTestServer({ files, now, config })
    const page = await openPage({ locale, colorScheme, viewport: { width, height: 900 } })
    await page.goto(url)
    const composer = page.getByRole('textbox', { name: /^(Message|消息|訊息)$/ })
    for (const [message, answer] of exchanges) {
      await composer.fill(message)
      await composer.press('Enter')
      await page.getByText(answer).first().waitFor()
    }
    await keepScreenshot(page, `chat-9-offline-${locale}`)
  })
})
