import { afterAll, describe, expect, it } from 'vitest'
import { openTestServer } from '../support/app.ts'
import { closeBrowser, keepScreenshot, openPage } from '../support/browser.ts'

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
    await keepScreenshot(page, 'private-chat-1-new')
    await page.getByRole('textbox', { name: 'Message' }).fill('The narwhal sings at midnight.')
    await page.keyboard.press('Enter')
    await page.getByRole('note').filter({ hasText: 'Private:' }).waitFor()
    await page.getByRole('link', { name: 'Private chat The narwhal sings' }).waitFor()
    await keepScreenshot(page, 'private-chat-2-open')
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
})
