import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { openTestServer } from '../support/app.ts'
import { closeBrowser, openPage } from '../support/browser.ts'

afterAll(closeBrowser)

describe('files of other programs', () => {
  it('are listed once in Notes, and accepted with one click', async () => {
    const server = await openTestServer({ files: { 'home.md': '# Home\n' } })
    const page = await openPage()
    page.setDefaultTimeout(15_000)
    await page.goto(server.url)
    await page.getByRole('link', { name: /^Notes/ }).click()
    await page.getByRole('link', { name: 'home.md' }).waitFor()
    const notice = page.getByTestId('outside-files')
    expect(await notice.count()).toBe(0)
    for (const name of ['sent.md', 'list.csv', 'photo.png']) await writeFile(join(server.workspace, name), 'New.\n')
    await page.reload()
    await notice.getByText('Another program added 2 files.').waitFor()
    await notice.getByText('Show').focus()
    await page.keyboard.press('Enter')
    await notice.getByRole('link', { name: 'sent.md' }).waitFor()
    await notice.getByRole('button', { name: 'They are mine' }).click()
    await notice.waitFor({ state: 'detached' })
    await page.reload()
    await page.getByRole('link', { name: 'sent.md' }).waitFor()
    expect(await notice.count()).toBe(0)
  })
})
