import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { openTestServer } from '../support/app.ts'
import { closeBrowser, keepScreenshot, openPage, visit } from '../support/browser.ts'
import { folderWith, until } from '../support/folder.ts'

afterAll(closeBrowser)

describe('import', () => {
  it('lists links whose target would change, and past imports with undo', async () => {
    const server = await openTestServer({
      files: { 'Home.md': 'See [[Alpha]] and [[Beta]].\n', 'far/away/below/Alpha.md': 'Mine.\n' },
    })
    const source = await folderWith({ 'Alpha.md': 'Another.\n', 'Beta.md': 'Another.\n', 'deep/c.md': 'c\n' })
    const page = await openPage()
    await page.goto(new URL(server.url).href)
    await visit(page, '/settings#import')
    await page.getByRole('textbox', { name: /Folder or export file/ }).fill(source)
    await page.getByRole('textbox', { name: 'Into folder' }).fill('in')
    await page.getByRole('button', { name: 'Preview', exact: true }).last().click()
    const changed = page.getByTestId('changed-links')
    await changed.getByText('1 link in your notes would point to an imported file instead').click()
    await changed.getByText('Home.md:1 · Alpha → in/Alpha.md (far/away/below/Alpha.md)').waitFor()
    await changed.getByText('1 broken link in your notes would point to an imported file').waitFor()
    await keepScreenshot(page, 'import-plan')
    await page.getByTestId('import-plan').getByRole('button', { name: 'Import', exact: true }).click()
    await page.getByText('3 files imported.').waitFor()
    await writeFile(join(server.workspace, 'in/Beta.md'), 'Changed since.\n')
    await page.reload()
    const past = page.getByRole('region', { name: 'Imports that you can undo' })
    await past.getByText(source, { exact: true }).waitFor()
    await past.scrollIntoViewIfNeeded()
    await keepScreenshot(page, 'import-past')
    await past.getByRole('button', { name: 'Undo import' }).click()
    await past.getByText('1 file was changed after the import and was not removed.').click()
    await past.getByText('in/Beta.md').waitFor()
    await until(() => !existsSync(join(server.workspace, 'in/deep')))
    expect(existsSync(join(server.workspace, 'in/Alpha.md'))).toBe(false)
    expect(existsSync(join(server.workspace, 'in/Beta.md'))).toBe(true)
    await page.setViewportSize({ width: 360, height: 800 })
    await past.scrollIntoViewIfNeeded()
    await keepScreenshot(page, 'import-past-narrow')
  }, 90_000)
})
