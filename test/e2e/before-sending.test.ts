import { afterAll, describe, expect, it } from 'vitest'
import { openTestServer } from '../support/app.ts'
import { closeBrowser, openPage } from '../support/browser.ts'

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
    await page.goto(new URL('/nonsense/x', url).href)
    await page.getByRole('heading', { name: 'Page not found' }).waitFor()
    await page.getByRole('main').getByRole('button', { name: 'New chat' }).click()
    await composer.waitFor()
  })
})
