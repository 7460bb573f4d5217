import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, describe, it } from 'vitest'
import { openTestServer } from '../support/app.ts'
import { closeBrowser, openPage, visit } from '../support/browser.ts'
import { until } from '../support/folder.ts'

afterAll(closeBrowser)

describe('tags and properties', () => {
  it('renames a note’s tag by keyboard with undo, and searches for it by click', async () => {
    const server = await openTestServer({
      files: {
        'zoo.md': '---\ntags: [work, work/animals]\nstatus: open\n---\n# Zoo\n\nSee [[harbour]].\n',
        'harbour.md': '---\nstatus: done\n---\n# Harbour\n\nThe old port. #work\n',
      },
    })
    const read = (path: string) => readFile(join(server.workspace, path), 'utf8')
    const page = await openPage()
    page.setDefaultTimeout(15_000)
    await page.goto(server.url)
    await page.getByRole('textbox', { name: 'Message' }).waitFor()
    await visit(page, '/file/zoo.md')
    await page.getByRole('button', { name: 'Links', exact: true }).click()
    const panel = page.getByRole('complementary', { name: 'Links' })
    await panel.getByRole('link', { name: '#work/animals' }).waitFor()

    await panel.getByRole('link', { name: '#work', exact: true }).focus()
    await page.keyboard.press('F2')
    const field = page.getByRole('textbox', { name: 'New name, without #' })
    await field.fill('job')
    await field.press('Enter')
    const dialog = page.getByRole('dialog')
    await dialog.getByText('#work becomes #job in 3 places in 2 notes').waitFor()
    await dialog.getByRole('button', { name: 'Rename' }).click()
    await until(async () => (await read('harbour.md')).endsWith('The old port. #job\n'))
    await until(async () => (await read('zoo.md')).includes('tags: [job, job/animals]'))
    await panel.getByRole('link', { name: '#job', exact: true }).waitFor()
    await page
      .locator('[data-sonner-toast]', { hasText: '#work renamed to #job' })
      .getByRole('button', { name: 'Undo' })
      .click()
    await until(async () => (await read('zoo.md')).includes('tags: [work, work/animals]'))

    await panel.getByRole('link', { name: '#work', exact: true }).click()
    await page.waitForURL(/q=tag%3Awork$/)
    await page.locator('[data-testid=condition][data-kind=tag]').waitFor()
    const found = page.locator('[data-testid=result]')
    await found.first().waitFor()
    const notes = () => found.evaluateAll((rows) => rows.map((row) => row.getAttribute('data-place')?.split(':')[0]))
    await until(async () => [...new Set(await notes())].sort().join() === 'harbour.md,zoo.md')
    await page.goBack()
    await panel.getByRole('link', { name: 'open' }).click()
    await page.waitForURL(/q=status%3Aopen$/)
    await page.locator('[data-testid=condition][data-kind=property]').waitFor()
  }, 60_000)
})
