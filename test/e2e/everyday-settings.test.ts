import { afterAll, describe, expect, it } from 'vitest'
import { sections } from '../../src/renderer/settings/setting-rows.ts'
import { openTestServer } from '../support/app.ts'
import { closeBrowser, openPage, visit } from '../support/browser.ts'
import { connect } from '../support/client.ts'
import { until } from '../support/folder.ts'

afterAll(closeBrowser)

describe('everyday settings', () => {
  it('are at most 25 before Advanced is opened, in words without keys', async () => {
    const server = await openTestServer()
    const page = await openPage()
    await page.goto(server.url)
    await page.getByRole('textbox', { name: 'Message' }).waitFor()
    const shown: string[] = []
    for (const { id } of sections) {
      await visit(page, `/settings#${id}`)
      await page.locator('[aria-current=page]', { hasText: new RegExp(`^${id}$`, 'i') }).waitFor()
      await page.locator('main h2').first().waitFor()
      const rows = page.getByTestId('setting').filter({ visible: true })
      if (!['programs', 'data', 'about'].includes(id)) await rows.first().waitFor()
      shown.push(...(await rows.evaluateAll((all) => all.map((row) => row.getAttribute('data-key') ?? ''))))
      // Paths of state files contain the id.
      if (id !== 'data') expect(await page.locator('main').innerText()).not.toMatch(/\bmain\b/)
    }
    expect(shown.length).toBeGreaterThan(15)
    expect(shown.length).toBeLessThanOrEqual(25)
    expect(new Set(shown).size).toBe(shown.length)

    // The model, the context, and no counts of the index.
    const bar = async () => (await page.getByRole('contentinfo').innerText()).replaceAll(/\s+/g, ' ').trim()
    await until(async () => /^Context [\d.]+k \/ 32k Model Offline: no language model$/.test(await bar()))

    await visit(page, '/settings#general')
    const theme = page.locator('[data-key="interface.theme"]')
    const opacity = () => theme.locator('span[aria-hidden]').evaluate((key) => getComputedStyle(key).opacity)
    expect(await theme.locator('span[aria-hidden]').innerText()).toBe('interface.theme')
    expect(await opacity()).toBe('0')
    await theme.hover()
    await until(async () => (await opacity()) === '1')
    await page.locator('main').getByRole('searchbox').hover()
    await until(async () => (await opacity()) === '0')
    await theme.getByRole('combobox').focus()
    await until(async () => (await opacity()) === '1')
    expect(await page.getByRole('radio', { name: 'All agents' }).count()).toBe(0)

    await visit(page, '/settings#memory')
    await page.getByText('Advanced', { exact: true }).click()
    await page.getByRole('textbox', { name: 'Maximum number of results' }).waitFor()
    await page.getByText('Advanced', { exact: true }).click()
    await page.getByRole('textbox', { name: 'Maximum number of results' }).waitFor({ state: 'detached' })
    await visit(page, '/settings#memory.search.maxResults')
    await page.locator('[data-key="memory.search.maxResults"] input:focus').waitFor()
  }, 60_000)

  it('are found by the words that people use', async () => {
    const languages = [
      ['en', ['backup', 'privacy', 'export', 'language', 'dark']],
      ['zh-CN', ['备份', '隐私', '导出', '语言', '深色', 'backup']],
      ['zh-TW', ['備份', '隱私', '匯出', '語言', '深色', 'privacy']],
    ] as const
    const server = await openTestServer()
    const client = await connect(server.url)
    const page = await openPage()
    await page.goto(server.url)
    await page.getByRole('textbox').first().waitFor()
    await visit(page, '/settings')
    const found = page.locator('main [data-testid=setting], main ul a')
    for (const [locale, words] of languages) {
      await client.settings.setAppearance({ locale })
      await page.locator(`html[lang=${locale}]`).waitFor()
      for (const word of [...words, 'xyzzy']) {
        await page.locator('main').getByRole('searchbox').fill(word)
        const [least, most] = word === 'xyzzy' ? [0, 0] : [1, 14]
        await until(async () => (await found.count()) >= least && (await found.count()) <= most)
      }
    }
  })
})
