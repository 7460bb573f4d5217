import { afterAll, describe, expect, it } from 'vitest'
import { openTestServer } from '../support/app.ts'
import { textsIn, until, writeFiles } from '../support/folder.ts'
import { visibilityOf } from '../../src/shared/markdown/visibility.ts'
import { closeBrowser, openPage } from '../support/browser.ts'

afterAll(closeBrowser)

describe('private chats', () => {
  it('start with the lock beside the field, and are marked in the list', async () => {
    const server = await openTestServer({ files: { 'MEMORY.md': '# Long-term memory\n' } })
    const page = await openPage()
    await page.goto(server.url)
    const lock = page.getByRole('switch', { name: 'Private' })
    await lock.click()
    expect(await lock.getAttribute('aria-checked')).toBe('true')
    await page.getByText('Only models on this machine read this chat').waitFor()
    await page.getByRole('textbox', { name: 'Message' }).fill('The narwhal sings at midnight.')
    await page.keyboard.press('Enter')
    await page.getByRole('note').filter({ hasText: 'Private:' }).waitFor()
    await page.getByRole('link', { name: 'Private chat The narwhal sings' }).waitFor()
  })

  it('become private from their menu', async () => {
    const server = await openTestServer({ files: { 'MEMORY.md': '# Long-term memory\n' } })
    const page = await openPage()
    await page.goto(server.url)
    await page.getByRole('textbox', { name: 'Message' }).fill('The puffin knits.')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Chat actions' }).click()
    await page.getByRole('menuitem', { name: 'Make private' }).click()
    await page.getByText('This chat is private now.').waitFor()
    await page.getByRole('note').filter({ hasText: 'Private:' }).waitFor()
    await page.getByRole('button', { name: 'Chat actions' }).click()
    await page.getByRole('menuitem', { name: 'Rename' }).waitFor()
    expect(await page.getByRole('menuitem', { name: 'Make private' }).count()).toBe(0)
  })

  it('are offered for a message with a private line and for matching private notes, and can be released', async () => {
    const safe = '---\nvisibility: private\n---\n\n# The safe\n\n- The safe opens with 9-1-7.\n'
    const server = await openTestServer({ files: { 'MEMORY.md': '# Long-term memory\n', 'notes/safe.md': safe } })
    const page = await openPage()
    await page.goto(server.url)
    const field = page.getByRole('textbox', { name: 'Message' })
    const send = async (text: string) => {
      await field.fill(text)
      await page.keyboard.press('Enter')
    }
    await send('Hello\nThe safe opens with 9-1-7.')
    const dialog = page.getByRole('dialog', { name: 'A line of this message is private' })
    await dialog.waitFor()
    const makePrivate = dialog.getByRole('button', { name: 'Make this chat private' })
    await until(() => makePrivate.evaluate((button) => button === document.activeElement))
    await dialog.getByRole('button', { name: 'Remove the line' }).click()
    await dialog.waitFor({ state: 'detached' })
    expect(await field.inputValue()).toBe('Hello')
    await send('Which number opens the safe?')
    await page.getByText('1 private note matches').waitFor()
    await page.getByRole('button', { name: 'Continue in a private chat' }).click()
    await page.getByRole('note').filter({ hasText: 'Private:' }).waitFor()
    await page.getByText('The safe opens with 9-1-7.').first().waitFor()
    await page.getByRole('button', { name: 'Chat actions' }).click()
    await page.getByRole('menuitem', { name: 'Release…' }).click()
    const release = page.getByRole('dialog', { name: 'Release this private chat?' })
    await release.getByText('1 private line is in it').waitFor()
    await release.getByRole('button', { name: 'Release' }).click()
    await page.getByText('The chat is open now').waitFor()
    await page.getByRole('note').filter({ hasText: 'Private:' }).waitFor({ state: 'detached' })
  })

  it('are made of chats with text that becomes private, and what they wrote can be marked', async () => {
    const plan = '# Plan\n\n- The heron sails on Friday.\n'
    const server = await openTestServer({ files: { 'MEMORY.md': '# Long-term memory\n', 'notes/plan.md': plan } })
    const page = await openPage()
    await page.goto(server.url)
    const field = page.getByRole('textbox', { name: 'Message' })
    for (const text of ['The heron sails on Friday.', '/remember The heron carries salt.']) {
      await field.fill(text)
      await page.keyboard.press('Enter')
      await page.getByText(text.replace('/remember ', '')).first().waitFor()
    }
    const log = async () =>
      Object.values(await textsIn(server.workspace, (path) => path.includes('memory/'))).join('\n')
    await until(async () => (await log()).includes('salt'))
    await writeFiles(server.workspace, { 'notes/plan.md': plan.replace('Friday.', 'Friday. ^[private]') })
    const madePrivate = page.getByRole('note').filter({ hasText: '1 chat contains text of private notes' })
    await madePrivate.waitFor()
    await page.getByRole('button', { name: 'Make them private' }).click()
    await until(async () => visibilityOf(await log()).privateLines.size > 0)
    await page.getByRole('button', { name: 'Make them private' }).waitFor({ state: 'detached' })
    await madePrivate.getByRole('button', { name: 'Close' }).click()
    await madePrivate.waitFor({ state: 'detached' })
  })
})
