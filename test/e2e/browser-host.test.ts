import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { startServer } from '../../src/main/app/server/start-server.ts'
import { mainFolder, openTestServer } from '../support/app.ts'
import { closeBrowser, enter, openPage } from '../support/browser.ts'
import { temporaryFolder, until } from '../support/folder.ts'
import { tellFirstStory } from './story.ts'

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
