import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { openTestServer } from '../support/app.ts'
import { closeBrowser, enter, keepScreenshot, openPage, visit } from '../support/browser.ts'
import { folderWith } from '../support/folder.ts'

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
    await keepScreenshot(page, 'outside-light')
    const others = [
      ['dark', { colorScheme: 'dark' as const }],
      ['zh-CN', { locale: 'zh-CN' }],
      ['narrow', { viewport: { width: 360, height: 780 } }],
    ] as const
    for (const [name, options] of others) {
      const other = await openPage(options)
      await enter(other, server.url, '/file/home.md')
      if (name === 'narrow')
        await other
          .getByRole('button', { name: /sidebar/i })
          .first()
          .click()
      await other.getByTestId('outside-files').locator('summary').click()
      await keepScreenshot(other, `outside-${name}`)
    }
    await notice.getByRole('button', { name: 'They are mine' }).click()
    await notice.waitFor({ state: 'detached' })
    await page.reload()
    await page.getByRole('link', { name: 'sent.md' }).waitFor()
    expect(await notice.count()).toBe(0)
  })

  it('an import says that it renames files that agents follow', async () => {
    const source = await folderWith({ 'CLAUDE.md': 'Obey.\n', 'a.md': 'A.\n' })
    const server = await openTestServer()
    const page = await openPage()
    page.setDefaultTimeout(15_000)
    await page.goto(server.url)
    await visit(page, '/settings#import')
    await page.getByRole('textbox', { name: /Folder or export file/ }).fill(source)
    await page.getByRole('button', { name: 'Preview', exact: true }).last().click()
    const plan = page.getByTestId('import-plan')
    await plan.getByText('Agents follow files with names such as CLAUDE.md').waitFor()
    await keepScreenshot(page, 'outside-import')
    await plan.getByRole('button', { name: 'Import', exact: true }).click()
    await page.getByText('2 files imported. Agents follow files').waitFor()
  })
})
