/** Typed text survives other windows, a restart of the runtime, navigation, and refused names. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Locator, Page } from 'playwright-core'
import { describe, expect, it, onTestFinished } from 'vitest'
import { Mutex } from '../../src/main/platform/fs/mutex.ts'
import { startServer } from '../../src/main/app/server/start-server.ts'
import { mainFolder, openTestServer, prepareFolders } from '../support/app.ts'
import { openPage, visit } from '../support/browser.ts'
import { openTestPage } from '../support/test-page.ts'
import { isDraft } from '../support/drafts.ts'
import { until } from '../support/folder.ts'

const message = (page: Page) => page.getByRole('textbox', { name: 'Message', exact: true })

describe('one file in two windows', () => {
  it('keeps a draft per window, reports a conflict, and restores both on reopening', async () => {
    const { url, workspace, home } = await openTestServer({ files: { 'memory/a.md': 'one\n' } })
    const first = await openPage()
    await first.goto(url)
    const address = new URL('/file/memory/a.md', url).href
    const open = async (page: Page) => {
      await page.goto(address)
      await page.locator('.view-lines').getByText('one').waitFor()
    }
    const type = async (page: Page, text: string) => {
      await page.locator('.monaco-editor .view-lines').click()
      await page.keyboard.press('Control+End')
      await page.keyboard.type(text)
    }
    await open(first)
    const second = await first.context().newPage()
    await open(second)
    await type(second, 'SECOND')
    await until(() => isDraft(home, 'SECOND'))
    await type(first, 'FIRST')
    await first.keyboard.press('Control+s')
    await until(async () => (await readFile(join(workspace, 'memory/a.md'), 'utf8')).includes('FIRST'))
    await second.close()
    const third = await first.context().newPage()
    await third.goto(address)
    const notice = third.getByRole('alert').filter({ hasText: 'Another window' })
    await notice.getByRole('button', { name: 'Show' }).click()
    await third.getByTestId('diff-view').getByText('SECOND').first().waitFor()
    await notice.getByRole('button', { name: 'Use draft' }).click()
    await third.getByRole('button', { name: 'Keep both' }).click()
    await until(async () => (await readFile(join(workspace, 'memory/a.md'), 'utf8')).includes('SECOND'))
    expect(await readFile(join(workspace, 'memory/a.md'), 'utf8')).toContain('FIRST')
    await until(async () => !(await isDraft(home, 'SECOND')))
  })
})

describe('the notice of a draft in another window', () => {
  it('goes when that window has saved it', async () => {
    const { url, home } = await openTestServer({ files: { 'a.md': 'one\n' } })
    const first = await openPage()
    await first.goto(url)
    const open = async (page: Page) => {
      await page.goto(new URL('/file/a.md', url).href)
      await page.locator('.monaco-editor .view-lines').click()
      await page.locator('.monaco-editor.focused').waitFor()
    }
    await open(first)
    await first.keyboard.type('typed ')
    await until(() => isDraft(home, 'typed'))
    const second = await first.context().newPage()
    await open(second)
    const notice = second.getByRole('alert').filter({ hasText: 'Another window' })
    await notice.waitFor()
    await first.keyboard.press('Control+s')
    await until(async () => !(await isDraft(home, 'typed')))
    await second.evaluate(() => dispatchEvent(new Event('focus')))
    await notice.waitFor({ state: 'detached' })
  })
})

describe('a file saved again before the first save has ended', () => {
  it('has no conflict with itself', async () => {
    const { page, workspace, open, onDisk, type } = await openTestPage({ files: { 'a.md': 'one\n' } })
    await open('a.md')
    const held = Promise.withResolvers<void>()
    const holding = Mutex.runOnce(workspace, () => held.promise)
    for (const text of ['two', ' three', ' four']) {
      await type(text)
      await page.keyboard.press('Control+s')
    }
    await page.getByText('Saving…').waitFor()
    held.resolve()
    await holding
    await until(async () => (await onDisk('a.md')) === 'one\ntwo three four')
    await page.getByText('Saving…').waitFor({ state: 'detached' })
    expect(await page.getByRole('button', { name: 'Keep both' }).count()).toBe(0)
  })
})

describe('one chat in two windows', () => {
  it('keeps the text of the last window to type; the other loads it on focus', async () => {
    const { url, home } = await openTestServer()
    const first = await openPage()
    await first.goto(url)
    const second = await first.context().newPage()
    await second.goto(url)
    await message(second).waitFor()
    const focus = (page: Page) => page.evaluate(() => dispatchEvent(new Event('focus')))
    await message(first).pressSequentially('from the first')
    await until(() => isDraft(home, 'from the first'))
    await focus(second)
    await until(async () => (await message(second).inputValue()) === 'from the first')
    await message(second).fill('from the second')
    await until(() => isDraft(home, 'from the second'))
    // A draft is replaced by a rename: until then, the folder has both texts.
    await until(async () => !(await isDraft(home, 'from the first')))
    await second.close()
    await first.reload()
    await until(async () => (await message(first).inputValue()) === 'from the second')
  })

  it('keeps text typed while offline after navigation and a restart', async () => {
    const { home } = await prepareFolders({})
    const server = await startServer({ mainFolder, env: {}, home })
    const page = await openPage({}, /WebSocket|net::ERR_|dynamically imported/)
    await page.goto(server.url)
    await message(page).waitFor()
    await page.getByRole('link', { name: 'Notes' }).first().waitFor()
    await server.close()
    await message(page).fill('typed into nothing')
    await page.getByRole('link', { name: 'Notes' }).first().click()
    await page.getByRole('link', { name: 'Changes' }).first().click()
    await page.getByRole('link', { name: /New chat/ }).click()
    await until(async () => (await message(page).inputValue()) === 'typed into nothing')
    const context = page.context()
    await page.close()
    const again = await startServer({ mainFolder, env: {}, home })
    onTestFinished(() => again.close())
    expect(new URL(again.url).port).toBe(new URL(server.url).port)
    const later = await context.newPage()
    await later.goto(again.url)
    await until(async () => (await message(later).inputValue()) === 'typed into nothing')
    await until(() => isDraft(home, 'typed into nothing'))
  })

  it('restores an unfinished edit of a message', async () => {
    const { page } = await openTestPage()
    await message(page).fill('Remember that the sky is blue')
    await message(page).press('Enter')
    await page.getByTestId('diff-card').waitFor()
    const edit = async () => {
      await page.getByText('Remember that the sky is blue').last().hover()
      await page.getByRole('button', { name: 'Edit', exact: true }).click()
    }
    const field = page.getByRole('textbox', { name: 'Edit', exact: true })
    await edit()
    await field.fill('Remember that the sea is green')
    await field.press('Escape')
    await field.waitFor({ state: 'detached' })
    await page.reload()
    await page.getByTestId('diff-card').waitFor()
    await edit()
    await until(async () => (await field.inputValue()) === 'Remember that the sea is green')
    await page.getByRole('button', { name: 'Start from sent text' }).click()
    expect(await field.inputValue()).toBe('Remember that the sky is blue')
  })
})

/** Delays a script of the page. @returns a function that lets it load */
async function holdScript(page: Page, name: string): Promise<() => void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  await page.route(new RegExp(`assets/${name}-[^/]*\\.js`), async (route) => {
    await promise
    await route.continue()
  })
  return resolve
}

/** Opens the dialog that renames `memory/a.md`. It selects the name when its field takes the focus. */
async function openRename(page: Page, field: Locator): Promise<void> {
  await page.getByRole('button', { name: 'Actions for memory/a.md' }).click()
  await page.getByRole('menuitem', { name: 'Rename or move' }).click()
  await until(() => field.evaluate((element) => element === document.activeElement))
}

describe('focus', () => {
  it('returns from the palette, or moves to the requested field', async () => {
    const { url } = await openTestServer({ files: { 'memory/a.md': 'one\n' } })
    const page = await openPage()
    const releasePalette = await holdScript(page, 'command-palette')
    await page.goto(url)
    const hasFocus = (field: Locator) => until(() => field.evaluate((element) => element === document.activeElement))
    await hasFocus(message(page))
    await page.keyboard.press('Control+k')
    await page.getByRole('textbox', { name: 'Command palette' }).waitFor({ state: 'attached' })
    releasePalette()
    await page.getByRole('dialog').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await hasFocus(message(page))
    await visit(page, '/inspect/found')
    await page.getByRole('button', { name: 'Why not?' }).click()
    await hasFocus(page.getByPlaceholder('memory/2026-01-20.md:12'))
  })
})

describe('refused names', () => {
  it('stay in their field, with the reason; the editor leaves the focus in an open dialog', async () => {
    const { url } = await openTestServer({ files: { 'memory/a.md': 'one\n' } })
    const page = await openPage()
    const releaseEditor = await holdScript(page, 'monaco')
    await page.goto(url)
    const nav = page.getByRole('navigation')
    await nav.getByRole('link', { name: /^Notes/ }).click()
    await nav.getByRole('button', { name: 'New file' }).click()
    const field = page.getByRole('textbox', { name: 'Path in workspace' })
    const reason = page.getByRole('dialog').getByRole('alert')
    for (const name of ['../x.md', 'con.md', '.hidden.md', 'memory/a.md']) {
      await field.fill(name)
      await field.press('Enter')
      await reason.waitFor()
      expect(await field.inputValue()).toBe(name)
      expect(await field.getAttribute('aria-invalid')).toBe('true')
      expect(await field.getAttribute('aria-describedby')).toBe(await reason.getAttribute('id'))
      expect(await field.evaluate((element) => element === document.activeElement)).toBe(true)
    }
    await field.fill('memory/b.md')
    await field.press('Enter')
    await page.waitForURL(/memory\/b\.md/)
    await openRename(page, field)
    releaseEditor()
    await page.locator('.monaco-editor').first().waitFor()
    await field.evaluate(() => new Promise(requestAnimationFrame))
    expect(await field.evaluate((element) => element === document.activeElement)).toBe(true)
    await field.fill('../a.md')
    await field.press('Enter')
    await reason.waitFor()
    expect(await field.inputValue()).toBe('../a.md')
  })
})
