import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parse } from 'yaml'
import { afterAll, describe, expect, it } from 'vitest'
import type { Page } from 'playwright-core'
import { sections } from '../../src/renderer/settings/setting-rows.ts'
import { openTestServer } from '../support/app.ts'
import { closeBrowser, keepScreenshot, openPage, saved, visit } from '../support/browser.ts'
import { connect } from '../support/client.ts'
import { temporaryFolder, until } from '../support/folder.ts'
import { startModelServer } from '../support/model-server.ts'
import { rounds } from '../support/thorough.ts'

afterAll(closeBrowser)

async function openSettings(page: Page, section: string): Promise<void> {
  await page.getByRole('navigation', { name: 'Sections' }).getByRole('link', { name: section, exact: true }).click()
}

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

  it('cover ten everyday tasks without Advanced', async () => {
    const model = await startModelServer()
    const server = await openTestServer({ files: { 'memory/a.md': 'The walrus sleeps.\n' } })
    const page = await openPage()
    await page.goto(server.url)
    await page.getByRole('textbox', { name: 'Message' }).waitFor()
    await page.keyboard.press('Control+,')
    const config = async () => JSON.stringify(parse(await readFile(join(server.home, 'config.yaml'), 'utf8')))
    const has = (text: string) => until(async () => (await config()).includes(text))

    // Connect a model.
    await openSettings(page, 'Models')
    const client = await connect(server.url)
    await client.settings.setBaseUrl({ provider: 'openai-compatible', baseUrl: model.openAiUrl })
    await page.getByRole('button', { name: /^Model: / }).click()
    await page
      .getByRole('option', { name: /test-model/ })
      .first()
      .click()
    await has('"model":"openai-compatible/')

    // Theme, language.
    await openSettings(page, 'General')
    await page.getByRole('combobox', { name: 'Theme' }).selectOption('dark')
    await page.locator('html[data-theme=dark]').waitFor()
    await page.getByRole('combobox', { name: 'Language' }).selectOption('zh-TW')
    await page.locator('html[lang=zh-TW]').waitFor()
    await page.getByRole('combobox', { name: '語言' }).selectOption('en')
    await page.locator('html[lang=en]').waitFor()

    // Folder.
    await page.getByRole('button', { name: 'Change folder' }).click()
    const folder = join(await temporaryFolder(), 'notes')
    await page.getByRole('dialog').getByRole('textbox').fill(folder)
    await page.getByRole('dialog').getByRole('button', { name: 'Change folder' }).click()
    await has(JSON.stringify(folder))

    // Shortcut.
    await openSettings(page, 'Shortcuts')
    const row = page.getByTestId('shortcut').filter({ hasText: 'Command palette' })
    await row.getByRole('button', { name: 'Change Ctrl+K' }).click()
    await page.keyboard.press('Control+Shift+Y')
    await has('"Mod+K":"Mod+Shift+Y"')

    // Save mode, private by default, daily hour.
    await openSettings(page, 'Notes')
    await page.getByRole('combobox', { name: 'Save changes' }).selectOption({ label: 'After a pause, too' })
    await has('"autosave":"delay"')
    await openSettings(page, 'Privacy')
    await page.getByRole('combobox', { name: 'New chats' }).selectOption({ label: 'Private' })
    await has('"default":"private"')
    await openSettings(page, 'Memory')
    const hour = page.getByRole('textbox', { name: 'Hour at which a new day starts' })
    await hour.fill('5')
    await hour.press('Enter')
    await has('"atHour":5')

    // Import, export.
    const source = join(await temporaryFolder(), 'old')
    await mkdir(source)
    await writeFile(join(source, 'piano.md'), 'The piano was tuned in May.\n')
    await openSettings(page, 'Data')
    await page.getByRole('textbox', { name: 'Folder or export file' }).fill(source)
    await page.getByRole('button', { name: 'Preview', exact: true }).last().click()
    await page.getByRole('button', { name: 'Import', exact: true }).click()
    await until(async () => (await client.workspace.list({ agent: 'main' })).some(({ path }) => path.includes('piano')))
    const download = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Export workspace as zip' }).click()
    expect((await download).suggestedFilename()).toBe('Commonplace.zip')
    expect((await readFile(await saved(await download))).includes('piano.md')).toBe(true)
    expect(await page.locator('details[open]').count()).toBe(0)
  }, 90_000)

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

  it('belong to one agent or to all, with several agents', async () => {
    const server = await openTestServer()
    const client = await connect(server.url)
    const workspace = join(await temporaryFolder(), 'work')
    await client.agents.create({ name: 'Work', workspace, locale: 'en' })
    const page = await openPage()
    await page.goto(server.url)
    await page.getByRole('textbox', { name: 'Message' }).waitFor()
    await visit(page, '/settings#privacy')
    await page.getByRole('radio', { name: 'All agents' }).click()
    await page.getByRole('combobox', { name: 'New chats' }).selectOption('private')
    await until(async () => (await client.agents.list()).every(({ isPrivateByDefault }) => isPrivateByDefault))
    await page.getByRole('radio', { name: 'Only Commonplace' }).click()
    await page.getByText('Set for all agents').waitFor()
  })

  const looks = [
    ['zh-CN', 'dark', 1280],
    ['en', 'light', 360],
    ['en', 'dark', 1280],
    ['zh-TW', 'light', 360],
  ] as const
  it.each(looks.slice(0, rounds(2, looks.length)))(
    'fit the window (%s, %s, %i px)',
    async (locale, colorScheme, width) => {
      const server = await openTestServer()
      await (await connect(server.url)).settings.setAppearance({ locale })
      const page = await openPage({ colorScheme, viewport: { width, height: 800 } })
      await page.goto(server.url)
      await page.getByRole('textbox').first().waitFor()
      for (const { id } of sections) {
        await visit(page, `/settings#${id}`)
        await page.locator('main h2').first().waitFor()
        const summary = page.locator('details > summary').last()
        if (['models', 'memory', 'programs'].includes(id)) await summary.click()
        const wide = () =>
          page.evaluate(() =>
            [...document.querySelectorAll('main [data-testid=setting] *, main h2, footer *')]
              .filter((element) => element.getBoundingClientRect().right > innerWidth + 1)
              .map((element) => element.outerHTML.slice(0, 120)),
          )
        expect(await wide()).toEqual([])
        await keepScreenshot(page, `everyday-${locale}-${colorScheme}-${width}-${id}`)
      }
    },
  )
})
