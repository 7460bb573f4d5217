import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { openTestServer } from '../support/app.ts'
import { closeBrowser, keepScreenshot, openPage, visit } from '../support/browser.ts'

afterAll(closeBrowser)

const picture = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

describe('composer warnings', () => {
  it('warns about unsupported attachments and gives each chip a unique name', async () => {
    const { url } = await openTestServer()
    const page = await openPage({ viewport: { width: 1024, height: 800 } })
    await page.goto(url)
    const composer = page.getByRole('textbox', { name: 'Message' })
    await composer.waitFor()
    const files = page.locator('input[type=file]')
    const notes = page.getByTestId('draft-notes')
    await files.setInputFiles([
      { name: 'image.png', mimeType: 'image/png', buffer: picture },
      { name: 'image.png', mimeType: 'image/png', buffer: picture },
    ])
    await page.getByRole('button', { name: 'Remove image.png' }).waitFor()
    await page.getByRole('button', { name: 'Remove image 2.png' }).waitFor()
    await notes.getByText('cannot read images', { exact: false }).waitFor()
    await files.setInputFiles([{ name: 'a.bin', mimeType: 'application/zip', buffer: Buffer.from([0, 1, 2, 255]) }])
    await notes.getByText('a.bin cannot be attached', { exact: false }).waitFor()
    expect(await page.locator('[data-sonner-toast]').count()).toBe(0)
    await keepScreenshot(page, 'before-sending')
    await page.getByRole('button', { name: 'Remove image 2.png' }).click()
    await page.getByRole('button', { name: 'Remove image.png' }).click()
    await notes.getByText('cannot read images', { exact: false }).waitFor({ state: 'detached' })
  })

  it('counts the draft in the meter and warns if it does not fit', async () => {
    const { url } = await openTestServer()
    const page = await openPage({ viewport: { width: 360, height: 740 } })
    await page.goto(url)
    const composer = page.getByRole('textbox', { name: 'Message' })
    await composer.fill('word '.repeat(16_000))
    await page.getByTestId('draft-notes').getByText('more than half', { exact: false }).waitFor()
    await page
      .getByRole('contentinfo')
      .getByText(/2\d(\.\d)?k \/ 32k/)
      .waitFor()
    await composer.fill('word '.repeat(40_000))
    await page.getByTestId('draft-notes').getByText('more than the model’s context window', { exact: false }).waitFor()
    await keepScreenshot(page, 'before-sending-long')
    await composer.fill('')
    await page.getByTestId('draft-notes').waitFor({ state: 'detached' })
  })
})

describe('missing pages and conflicts', () => {
  it('offers a new chat for a missing chat or page; commands create no turn', async () => {
    const { url } = await openTestServer()
    const page = await openPage()
    await page.goto(url)
    const composer = page.getByRole('textbox', { name: 'Message' })
    await composer.fill('/status')
    await composer.press('Enter')
    await page.getByTestId('command').waitFor()
    await composer.fill('hello')
    await composer.press('Enter')
    await page.getByText('1 turn', { exact: true }).waitFor()
    await page.goto(new URL('/chat/nothing', url).href)
    await page.getByRole('heading', { name: 'Chat not found' }).waitFor()
    expect(await composer.count()).toBe(0)
    await keepScreenshot(page, 'no-such-chat')
    await page.goto(new URL('/nonsense/x', url).href)
    await page.getByRole('heading', { name: 'Page not found' }).waitFor()
    await page.getByRole('main').getByRole('button', { name: 'New chat' }).click()
    await composer.waitFor()
  })

  it('labels both sides of a conflict with their author', async () => {
    const { url, workspace } = await openTestServer({ files: { 'a.md': '# A\n\nline\n' } })
    const page = await openPage()
    await page.goto(url)
    await page.getByRole('textbox', { name: 'Message' }).waitFor()
    await visit(page, '/file/a.md')
    await page.locator('.view-lines').getByText('line').click()
    await page.keyboard.press('End')
    await page.keyboard.type(' of mine')
    await writeFile(join(workspace, 'a.md'), '# A\n\nline of theirs\n')
    await page.keyboard.press('Control+s')
    await page.getByTestId('conflict-sides').getByText('Your version').waitFor()
    await page.getByTestId('conflict-sides').getByText('On disk', { exact: false }).waitFor()
    await keepScreenshot(page, 'conflict-sides')
  })
})

describe('search in a narrow window', () => {
  it('keeps the lines of a long path and shows the match and the score', async () => {
    const name = `projects/${'a-very-long-name-'.repeat(6)}end.md`
    const { url } = await openTestServer({
      files: { [name]: `# Long\n\n${'Some words before it. '.repeat(12)}The zephyr came at last.\n` },
    })
    for (const width of [1024, 360]) {
      const page = await openPage({ viewport: { width, height: 760 } })
      await page.goto(url)
      await page.getByRole('textbox', { name: 'Message' }).waitFor()
      await visit(page, '/inspect/found?q=zephyr')
      const row = page.getByTestId('candidate').first()
      await row.waitFor()
      expect(await row.getByText(/^\d+%$/).isVisible()).toBe(true)
      expect(await row.getByRole('link').first().innerText()).toMatch(/end\.md:\d+/)
      const [mark, cell] = [await row.locator('mark').first().boundingBox(), await row.boundingBox()]
      expect(mark && cell && mark.y + mark.height <= cell.y + cell.height).toBe(true)
      const link = await row.getByRole('link').first().boundingBox()
      expect(link && link.x + link.width <= width).toBe(true)
      await keepScreenshot(page, `search-narrow-${width}`)
    }
  })
})
