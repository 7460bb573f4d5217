import { appendFile, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { startServer } from '../../src/main/app/server/start-server.ts'
import { mainFolder, openTestServer } from '../support/app.ts'
import { enter, openPage } from '../support/browser.ts'
import { temporaryFolder, until } from '../support/folder.ts'

async function tellFirstStory(page: Page, url: string, workspace: string): Promise<void> {
  await page.goto(url)
  await page.getByRole('textbox', { name: 'Folder for the memory' }).fill(workspace)
  await page.getByRole('button', { name: 'Start' }).click()

  const composer = page.getByRole('textbox', { name: 'Message' })
  await composer.fill('Remember that we chose PostgreSQL for the database')
  await composer.press('Enter')
  const card = page.getByTestId('diff-card')
  await card.waitFor()
  expect(await card.innerText()).toContain('we chose PostgreSQL for the database')

  // MEMORY.md changes on disk; the app finds the line within 2 s.
  await page.getByTestId('answer').first().waitFor()
  await appendFile(join(workspace, 'MEMORY.md'), '\n- 2026-01-20: The mascot of Acme is a walrus\n')
  await composer.fill('Who is the mascot of Acme?')
  await until(async () => {
    await composer.fill('Who is the mascot of Acme?')
    await composer.press('Enter')
    await page.getByTestId('answer').last().waitFor()
    await page.waitForFunction(() => document.querySelectorAll('[data-testid=answer]').length > 1)
    return (await page.getByTestId('answer').last().innerText()).includes('walrus')
  })

  await composer.fill('Which database did we choose?')
  await composer.press('Enter')
  await page.getByText('“Which database did we choose?”').waitFor()
  const answer = page.getByTestId('answer').last()
  await page.waitForFunction(() =>
    [...document.querySelectorAll('[data-testid=answer]')].at(-1)?.textContent?.includes('we chose PostgreSQL'),
  )
  const citation = answer.getByRole('link').last()
  expect(await citation.innerText()).toMatch(/^memory\/\d{4}-\d{2}-\d{2}\.md:3$/)
  await page.getByRole('button', { name: 'Details' }).click()
  await page
    .getByText(/^\d+ of \d+ candidates$/)
    .first()
    .waitFor()

  // The citation opens the file at its line; saving there updates the index.
  const log = (await citation.innerText()).replace(/:3$/, '')
  await citation.click()
  await page.locator('.monaco-editor .view-lines').waitFor()
  await page.locator('.found-line').waitFor()
  expect(new URL(page.url()).hash).toBe('#L3')
  await page.keyboard.press('Control+End')
  await page.keyboard.type('The staging password lives in the zeppelin vault')
  await page.getByText('Unsaved').waitFor()
  await page.keyboard.press('Control+s')
  await page.getByText('Saved', { exact: true }).waitFor()
  expect(await readFile(join(workspace, log), 'utf8')).toContain('zeppelin vault')

  await page.keyboard.press('Control+Shift+f')
  await page.getByRole('combobox', { name: 'Search' }).fill('zeppelin vault')
  await page.getByTestId('result').first().getByText('zeppelin').waitFor()
  await page.keyboard.press('Tab')
  await page.getByText('This line contains “zeppelin” and “vault”.').waitFor()
  await page.getByRole('link', { name: 'Show all possible results in Inspect' }).click()
  const row = page.getByTestId('candidate').first()
  await row.waitFor()
  expect(await row.getAttribute('data-verdict')).toBe('returned')
  await row.getByRole('link', { name: /^memory\/\d{4}-\d{2}-\d{2}\.md:\d+(–\d+)?$/ }).waitFor()
  expect(await row.innerText()).toMatch(/\d+%\s+Result #1$/)
}

describe('first user story in the browser host', () => {
  it('remembers a fact, finds it again, and keeps everything after a restart', async () => {
    const root = await temporaryFolder()
    const home = join(root, 'state')
    const workspace = join(root, '记忆 memory')
    const server = await startServer({ mainFolder, env: {}, home })
    const first = await openPage()
    await tellFirstStory(first, server.url, workspace)
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
