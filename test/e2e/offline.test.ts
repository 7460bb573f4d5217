import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { openTestServer } from '../support/app.ts'
import { closeBrowser, openPage } from '../support/browser.ts'

afterAll(closeBrowser)

const loginFixed = { 'memory/2026-11-10.md': '# 2026-11-10\n\n## 09:00 - 修好了登录页\n修好了登录页\n' }
const now = () => new Date(2026, 10, 18, 10, 30)

describe('offline model in a browser', () => {
  it('keeps a statement with one click, with the date that it shows before, and takes it back', async () => {
    const config = 'agents: { list: [{ id: main, workspace: "{{workspace}}" }] }\n'
    const { url, workspace } = await openTestServer({ files: loginFixed, now, config })
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
    const { url } = await openTestServer({ files: loginFixed, now, config })
    const page = await openPage({ locale: 'en' })
    await page.goto(url)
    await page.getByRole('link', { name: /^Search/ }).click()
    await page.getByRole('combobox', { name: 'Search' }).fill('周一我做了什么')
    await page.getByText('no notes for 2026-11-16; nearest: 2026-11-10').waitFor()
    await page.getByText('修好了登录页').first().waitFor()
  })
})
