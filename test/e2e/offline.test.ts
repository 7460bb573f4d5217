import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
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
        ['请帮我记一下周四下午三点评审', '已记入今天的日记'],
        ['评审是什么时候', '你的记忆里写着'],
      ],
    ],
    [
      'zh-TW',
      'dark',
      360,
      [
        ['你好', '我只做兩件事'],
        ['請你記住大門密碼是4711', '已記入今天的日記'],
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

  it('keeps a statement with one click, with the date that it shows before, and takes it back', async () => {
    const config = 'agents: { list: [{ id: main, workspace: "{{workspace}}" }] }\n'
    const { url, workspace } = await openTestServer({ files, now, config })
    const page = await openPage({ locale: 'en' })
    await page.goto(url)
    const log = () => readFile(join(workspace, 'memory/2026-11-18.md'), 'utf8').catch(() => '')
    const composer = page.getByRole('textbox', { name: 'Message' })
    await composer.fill('The chimney sweep comes tomorrow at ten.')
    await composer.press('Enter')
    await page.getByText('The chimney sweep comes tomorrow (2026-11-19) at ten.').waitFor()
    expect(await log()).toBe('')
    await page.getByRole('button', { name: 'Keep this' }).click()
    await page.getByRole('button', { name: 'Kept' }).waitFor()
    await expect.poll(log).toContain('- 10:30 The chimney sweep comes tomorrow (2026-11-19) at ten.\n')
    const other = await page.context().newPage()
    await other.goto(page.url())
    await other.getByRole('button', { name: 'Kept' }).waitFor()
    await other.close()
    await page.getByRole('button', { name: 'Undo' }).click()
    await expect.poll(log).not.toContain('chimney')
    await composer.fill('/remember Parcel arrives the day after tomorrow')
    await page.getByText('Saved with this date: Parcel arrives the day after tomorrow (2026-11-20)').waitFor()
  })

  it('says in the search that a day has no notes, and shows the nearest', async () => {
    const config = 'agents: { list: [{ id: main, workspace: "{{workspace}}" }] }\n'
    const { url } = await openTestServer({ files, now, config })
    const page = await openPage({ locale: 'en' })
    await page.goto(url)
    await page.getByRole('link', { name: /^Search/ }).click()
    await page.getByRole('combobox', { name: 'Search' }).fill('周一我做了什么')
    await page.getByText('no notes for 2026-11-16; nearest: 2026-11-10').waitFor()
    await page.getByText('修好了登录页').first().waitFor()
  })
})
