import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { appVersion } from '#platform'
import { startServer } from '../../src/main/app/server/start-server.ts'
import { mainFolder, openTestServer } from '../support/app.ts'
import { closeBrowser, enter, openPage } from '../support/browser.ts'
import { temporaryFolder, until } from '../support/folder.ts'
import { numberedWords, startModelServer } from '../support/model-server.ts'
import { tellFirstStory } from './story.ts'
import { firstUse, secondUse } from '../../.github/scripts/test-package.mjs'
import { shownVersion, visit } from '../../.github/scripts/update-test.mjs'

afterAll(closeBrowser)

describe('first user story in the browser host', () => {
  it('remembers a fact, finds it again, and keeps everything after a restart', async () => {
    const root = await temporaryFolder()
    const home = join(root, 'state')
    const workspace = join(root, '记忆 memory')
    const server = await startServer({ mainFolder, env: {}, home })
    const first = await openPage()
    await tellFirstStory({ page: first, url: server.url, workspace })
    await first.close()
    await server.close()

    const again = await startServer({ mainFolder, env: {}, home })
    const page = await openPage({ colorScheme: 'dark' })
    await page.goto(again.url)
    await page.getByRole('navigation').getByText('Remember that we chose PostgreSQL').click()
    await page.getByTestId('diff-card').waitFor()
    expect(await readFile(join(workspace, 'MEMORY.md'), 'utf8')).toContain('walrus')
    await page.close()
    await again.close()
  })
})

describe('chat', () => {
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
        text: `The mascot is a **walrus** [MEMORY.md:3]. ${numberedWords('More words follow here', 200)}`,
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
  })
})

describe('files', () => {
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

describe('the test of a package', () => {
  it('stores a note, and finds it after a restart', async () => {
    const folder = await temporaryFolder()
    const home = join(folder, 'home')
    for (const use of [firstUse, secondUse]) {
      const server = await startServer({ mainFolder, env: {}, home })
      const page = await openPage()
      await page.goto(server.url)
      await use(page, join(folder, 'notes'))
      expect(await shownVersion(page)).toBe(appVersion)
      await visit(page, '/file/MEMORY.md')
      await page.getByRole('tab', { name: 'MEMORY.md' }).or(page.locator('.monaco-editor')).first().waitFor()
      await page.close()
      await server.close()
    }
  })
})
