import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { startServer } from '../../src/main/app/server/start-server.ts'
import { mainFolder, openTestServer } from '../support/app.ts'
import { closeBrowser, enter, keepScreenshot, openPage, visit } from '../support/browser.ts'
import { temporaryFolder, until } from '../support/folder.ts'
import { startModelServer } from '../support/model-server.ts'
import { bigFile, bigText, configOf, conversationModel, messageOf } from '../support/scripted-conversation.ts'
import { tellFirstStory } from './story.ts'

afterAll(closeBrowser)

describe('first user story in the browser host', () => {
  it('remembers a fact, finds it again, and keeps everything after a restart', async () => {
    const root = await temporaryFolder()
    const home = join(root, 'state')
    const workspace = join(root, '记忆 memory')
    const server = await startServer({ mainFolder, env: {}, home })
    const first = await openPage()
    await tellFirstStory({ page: first, url: server.url, workspace, name: 'browser' })
    await first.close()
    await server.close()

    const again = await startServer({ mainFolder, env: {}, home })
    const page = await openPage({ colorScheme: 'dark' })
    await page.goto(again.url)
    await page.getByRole('navigation').getByText('Remember that we chose PostgreSQL').click()
    await page.getByTestId('diff-card').waitFor()
    await keepScreenshot(page, 'browser-7-again-dark')
    expect(await readFile(join(workspace, 'MEMORY.md'), 'utf8')).toContain('walrus')
    await page.close()
    await again.close()
  })
})

describe('chat', () => {
  it('undoes a change from its diff card', async () => {
    const { url, workspace } = await openTestServer()
    const page = await openPage()
    await page.goto(url)
    const composer = page.getByRole('textbox', { name: 'Message' })
    await composer.fill('Remember that the gate code is 4711')
    await composer.press('Enter')
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByText('Undone', { exact: true }).waitFor()
    const today = new Date()
    const name = `${today.getFullYear()}-${String(today.getMonth() + 1).padStart(2, '0')}-${String(today.getDate()).padStart(2, '0')}.md`
    // The log file had no other entry, so the undo deletes it.
    await expect(readFile(join(workspace, 'memory', name), 'utf8')).rejects.toThrow('ENOENT')
  })

  it('syncs undone changes and archived chats to other windows and after a reload', async () => {
    const { url } = await openTestServer()
    const [page, other] = [await openPage(), await openPage()]
    await page.goto(url)
    const composer = page.getByRole('textbox', { name: 'Message' })
    await composer.fill('Remember that the gate code is 4711')
    await composer.press('Enter')
    await page.getByRole('button', { name: 'Undo' }).waitFor()
    await other.goto(url)
    await other
      .getByRole('link', { name: /^Notes/ })
      .first()
      .click()
    await other.getByRole('link', { name: 'Changes' }).first().click()
    const hunk = other.getByTestId('hunk')
    await hunk.getByRole('button', { name: 'Undo' }).click()
    await hunk.getByText('Undone', { exact: true }).waitFor()
    await page.getByTestId('diff-card').getByText('Undone', { exact: true }).waitFor()
    await page.reload()
    await page.getByTestId('diff-card').getByText('Undone', { exact: true }).waitFor()

    await composer.fill('Remember that the cellar code is 1234')
    await composer.press('Enter')
    const second = hunk.filter({ hasText: 'cellar' })
    await second.waitFor()
    await page.getByTestId('diff-card').getByRole('button', { name: 'Undo' }).waitFor()
    await page
      .getByRole('link', { name: /^Notes/ })
      .first()
      .click()
    await page.getByRole('link', { name: 'Changes' }).first().click()
    await page.getByTestId('hunk').filter({ hasText: 'cellar' }).getByRole('button', { name: 'Accept' }).click()
    await second.waitFor({ state: 'detached' })
    await page.reload()
    await page.getByTestId('hunk').filter({ hasText: 'gate' }).waitFor()
    expect(await page.getByTestId('hunk').filter({ hasText: 'cellar' }).count()).toBe(0)
  })

  it('streams an answer with tools and can stop it', async () => {
    const model = await startModelServer(
      { calls: [{ name: 'memory_search', arguments: { query: 'walrus' } }], text: 'Let me look.' },
      {
        text: 'The mascot is a **walrus** [MEMORY.md:3]. ' + 'More words follow here. '.repeat(60),
        delayMs: 15,
        thinking: 'hm',
      },
    )
    const { url } = await openTestServer({
      files: { 'MEMORY.md': '# M\n\n- The mascot is a walrus\n' },
      config: `providers: { anthropic: { baseUrl: "${model.url}" } }\nagents:\n  list: [{ id: main, workspace: "{{workspace}}", model: anthropic/test-model }]\n`,
      env: { ANTHROPIC_API_KEY: 'k' },
    })
    const page = await openPage()
    await page.goto(url)
    const composer = page.getByRole('textbox', { name: 'Message' })
    await composer.fill('Who is the mascot?')
    await composer.press('Enter')
    await page.getByText('More words follow').first().waitFor()
    await page.reload()
    await page.getByText('More words follow').first().waitFor()
    await page.getByRole('button', { name: 'Stop' }).click()
    await page.getByText('Stopped.').waitFor()
    expect(await page.getByText('Searched memory').count()).toBe(1)
    expect(await page.locator('strong', { hasText: 'walrus' }).count()).toBe(1)
    await keepScreenshot(page, 'browser-8-stopped')
  })

  it('explains which key a model needs', async () => {
    const { url } = await openTestServer({
      config: 'agents:\n  list: [{ id: main, workspace: "{{workspace}}", model: openai/gpt-x }]\n',
    })
    const page = await openPage()
    await page.goto(url)
    const composer = page.getByRole('textbox', { name: 'Message' })
    await composer.fill('hello there')
    await composer.press('Enter')
    await page.getByText('environment variable OPENAI_API_KEY', { exact: false }).waitFor()
    expect(await composer.inputValue()).toBe('hello there')
  })
})

describe('flush and compaction', () => {
  it('completes commands while typing and shows their result in the conversation', async () => {
    const { url } = await openTestServer()
    const page = await openPage()
    await page.goto(url)
    const composer = page.getByRole('textbox', { name: 'Message' })
    await composer.fill('/re')
    expect(await page.getByRole('listbox').getByRole('option').allInnerTexts()).toHaveLength(2)
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Tab')
    expect(await composer.inputValue()).toBe('/remember ')
    await page.keyboard.type('the gate code is 4711')
    await page.keyboard.press('Enter')
    await page.getByTestId('command').getByTestId('diff-card').waitFor()
    await composer.fill('/help')
    await composer.press('Enter')
    await page.getByText('Summarise older messages now').waitFor()
    await keepScreenshot(page, 'browser-10-commands')
  })

  it('shows flushes and compactions in the conversation, also after a reload', async () => {
    const model = await startModelServer({ text: 'ok' })
    model.respond = conversationModel()
    model.window = 32_000
    const { url, workspace } = await openTestServer({
      files: { [bigFile]: bigText },
      config: configOf(model.url),
      env: { ANTHROPIC_API_KEY: 'k' },
    })
    const page = await openPage()
    await page.goto(url)
    const composer = page.getByRole('textbox', { name: 'Message' })
    for (let turn = 0; turn < 12; turn += 1) {
      await composer.fill(messageOf(turn))
      await composer.press('Enter')
      await page.getByText(turn === 0 ? '1 turn' : `${turn + 1} turns`, { exact: true }).waitFor()
      await page.getByRole('button', { name: 'Stop' }).waitFor({ state: 'detached' })
    }
    await page
      .getByText(/Compacted · \d/)
      .first()
      .waitFor()
    await page.reload()
    const saved = page.getByText(/Saved notes/).first()
    await saved.click()
    await page.getByTestId('event').getByTestId('diff-card').first().waitFor()
    await keepScreenshot(page, 'browser-11-keeping')
    expect(await readFile(join(workspace, 'memory/2026-01-20.md'), 'utf8')).toContain('FACT-0')
  })
})

describe('files', () => {
  it('shows an external change in the editor and offers a choice on conflict', async () => {
    const { url, workspace } = await openTestServer({ files: { 'MEMORY.md': 'one\ntwo\nthree\n' } })
    const page = await openPage()
    await page.goto(url)
    await page.getByRole('link', { name: /^Notes/ }).click()
    await page
      .getByRole('navigation')
      .getByRole('link', { name: /MEMORY\.md/ })
      .click()
    await page.locator('.view-lines').getByText('three').waitFor()
    await writeFile(join(workspace, 'MEMORY.md'), 'one\ntwo\nthree\nfour from outside\n')
    await page.locator('.view-lines').getByText('four from outside').waitFor()
    await page.locator('.view-lines').getByText('four from outside').click()
    await page.keyboard.press('End')
    await page.keyboard.type(' and mine')
    await writeFile(join(workspace, 'MEMORY.md'), 'one\ntwo\nthree\nfour from elsewhere\n')
    await page.keyboard.press('Control+s')
    await page.getByRole('button', { name: 'Keep mine' }).waitFor()
    expect(await readFile(join(workspace, 'MEMORY.md'), 'utf8')).toContain('elsewhere')
    await page.getByRole('button', { name: 'Keep mine' }).click()
    await until(async () => (await readFile(join(workspace, 'MEMORY.md'), 'utf8')).includes('and mine'))
  })

  it('compares with the version that is on disk now, and takes that', async () => {
    const { url, workspace } = await openTestServer({ files: { 'MEMORY.md': 'first\ntwo\n' } })
    const onDisk = () => readFile(join(workspace, 'MEMORY.md'), 'utf8')
    const page = await openPage()
    await enter(page, url, '/file/MEMORY.md')
    await page.locator('.view-lines').getByText('first').click()
    await page.keyboard.press('Home')
    await page.keyboard.press('Shift+End')
    await page.keyboard.type('mine')
    await writeFile(join(workspace, 'MEMORY.md'), 'second\ntwo\n')
    await page.keyboard.press('Control+s')
    const shown = page.locator('.editor.original .view-lines')
    await shown.getByText('second').waitFor()
    await writeFile(join(workspace, 'MEMORY.md'), 'third\ntwo\n')
    await shown.getByText('third').waitFor()
    expect(await shown.getByText('second').count()).toBe(0)
    const theirs = page.getByRole('button', { name: 'Keep theirs' })
    await theirs.click()
    await theirs.waitFor({ state: 'detached' })
    await page.locator('.view-lines').getByText('third').waitFor()
    await until(async () => (await onDisk()) === 'third\ntwo\n')
  })

  it('explains why a file cannot be opened', async () => {
    const { url } = await openTestServer({ files: { 'memory/binary.md': new Uint8Array([255, 254, 0, 1]) } })
    const page = await openPage()
    await page.goto(url)
    await page.getByText('A file is not searched').waitFor()
    await visit(page, '/file/memory/binary.md')
    await page.getByText('is not UTF-8 text', { exact: false }).waitFor()
    await visit(page, '/file/memory/none.md')
    await page.getByRole('button', { name: 'Create note' }).waitFor()
  })
})

describe('languages and themes', () => {
  it('uses the system language, in the dark theme', async () => {
    const locale = 'zh-TW'
    const { url } = await openTestServer({
      files: { 'memory/2026-01-21.md': '# 2026-01-21\n\n## 09:00 - 飞书插件\n决定用飞书插件同步日历。\n' },
    })
    const page = await openPage({ locale, colorScheme: 'dark', viewport: { width: 1024, height: 700 } })
    await page.goto(url)
    await page.getByRole('link', { name: /^搜尋/ }).click()
    await page.getByRole('main').getByRole('combobox').fill('飞书插件')
    await page.getByTestId('result').first().waitFor()
    await page.getByRole('navigation').getByRole('link', { name: /^筆記/ }).waitFor()
    await keepScreenshot(page, 'browser-9-search-zh-TW-dark')
    expect(await page.locator('html').getAttribute('lang')).toBe(locale)
  })

  it('changes theme and language from the palette and keeps them', async () => {
    const { url, home } = await openTestServer()
    const page = await openPage()
    await page.goto(url)
    await page.getByRole('textbox', { name: 'Message' }).waitFor()
    await page.keyboard.press('Control+k')
    // The palette may still be loading; typed text must reach it.
    await page.keyboard.type('dark')
    await page.getByRole('option', { name: /dark/i, selected: true }).waitFor()
    await page.keyboard.press('Enter')
    await page.locator('html[data-theme=dark]').waitFor()
    await page.keyboard.press('Control+k')
    await page.keyboard.type('简体')
    await page.keyboard.press('Enter')
    await page.getByText('新对话').first().waitFor()
    expect(await readFile(join(home, 'config.yaml'), 'utf8')).toMatch(/theme: dark[\s\S]*locale: zh-CN/)
  })
})

describe('access key', () => {
  it('accepts a reload and a second tab; explains a missing or wrong key', async () => {
    const { url } = await openTestServer()
    const page = await openPage({}, /403|401/)
    await page.goto(url)
    await page.getByRole('contentinfo').getByRole('link').first().waitFor()
    expect(page.url()).toBe(new URL('/', url).href)
    await page.reload()
    await page.getByRole('contentinfo').getByRole('link').first().waitFor()
    const second = await page.context().newPage()
    await second.goto(new URL(`/#key=${'x'.repeat(43)}`, url).href)
    await second.getByRole('contentinfo').getByRole('link').first().waitFor()
    await second.evaluate(() => localStorage.clear())
    await second.reload()
    await second.getByRole('alert').getByText('open the address shown in the terminal').waitFor()
    // Letting in another page of this browser reconnects this one.
    await page.goto(url)
    await second.getByRole('contentinfo').getByRole('link').first().waitFor()
    await second.close()
  })
})
