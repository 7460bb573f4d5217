import { describe, expect, it } from 'vitest'
import { dot, openTestPage } from '../support/test-page.ts'

describe('the composer', () => {
  it('names attachments, warns about images and long drafts, and is absent from missing chats', async () => {
    const { page, composer, say, url } = await openTestPage({}, { viewport: { width: 700, height: 740 } })
    await composer.waitFor()
    const notes = page.getByTestId('draft-notes')
    const picture = { name: 'image.png', mimeType: 'image/png', buffer: dot }
    await page.locator('input[type=file]').setInputFiles([picture, picture])
    await notes.getByText('cannot read images', { exact: false }).waitFor()
    await page.getByRole('button', { name: 'Remove image 2.png' }).click()
    await page.getByRole('button', { name: 'Remove image.png' }).click()
    await notes.waitFor({ state: 'detached' })

    await composer.fill('word '.repeat(16_000))
    await notes.getByText('more than half', { exact: false }).waitFor()
    await page
      .getByRole('contentinfo')
      .getByText(/2\d(\.\d)?k \/ 32k/)
      .waitFor()
    await composer.fill('word '.repeat(40_000))
    await notes.getByText('more than the model’s context window', { exact: false }).waitFor()

    // Commands create no turn.
    await say('/status')
    await page.getByTestId('command').waitFor()
    await say('hello')
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
