import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { openTestServer } from '../support/app.ts'
import { closeBrowser, openPage, visit } from '../support/browser.ts'
import { folderWith, until } from '../support/folder.ts'

afterAll(closeBrowser)

describe('separate folder for the agent’s files', () => {
  it('keeps them in .commonplace of a vault and moves them from the settings', async () => {
    const vault = await folderWith({
      '.obsidian/app.json': '{}',
      'Home.md': '# Home\n\nWhat I know: [[MEMORY]]\n',
    })
    const server = await openTestServer({ config: '' })
    const page = await openPage()
    await page.goto(server.url)
    await page.getByRole('textbox', { name: 'Folder for the memory' }).fill(vault)
    const lead = page.getByRole('group', { name: /AGENTS\.md, MEMORY\.md and other agent files/ })
    await lead.waitFor()
    expect(await lead.getByRole('radio', { name: 'In a separate folder' }).isChecked()).toBe(true)
    await page.getByRole('checkbox', { name: /Add the files that an agent reads/ }).check()
    await page.getByRole('button', { name: 'Start' }).click()
    await page.getByRole('textbox', { name: 'Message' }).waitFor()
    expect((await readdir(vault)).sort()).toEqual(['.commonplace', '.obsidian', 'Home.md'])
    const tour = page.getByRole('complementary', { name: 'Tour' })
    await tour.getByRole('button', { name: 'Next' }).click()
    await tour.getByRole('button', { name: 'Next' }).click()
    await tour.getByRole('button', { name: 'Done' }).click()

    await page.getByRole('link', { name: /^Notes/ }).click()
    const tree = page.getByRole('region', { name: 'Notes' })
    await tree.getByRole('link', { name: /^MEMORY\.md/ }).click()
    await page.locator('.monaco-editor').first().waitFor()
    expect(decodeURIComponent(page.url())).toContain('/file/.commonplace/MEMORY.md')

    await visit(page, '/settings#agents')
    await page.getByRole('button', { name: 'Location of agent files' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('textbox', { name: 'Folder name' }).fill('Agent')
    await dialog.getByRole('button', { name: 'Move' }).click()
    await page.getByText('5 files moved to Agent.').waitFor()
    await until(async () => (await readdir(vault)).includes('Agent'))
    expect(await readFile(join(vault, 'Home.md'), 'utf8')).toContain('[[MEMORY]]')
    await page.getByRole('button', { name: 'Undo' }).click()
    await until(async () => (await readdir(join(vault, '.commonplace'))).length >= 5)
  }, 90_000)
})
