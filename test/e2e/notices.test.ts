import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openTestPage } from '../support/test-page.ts'
import { pressUntil } from '../support/browser.ts'
import { startTroubledEmbeddings } from '../support/troubled-embeddings.ts'

const configOf = (url: string, more = '') =>
  `${more}agents:\n  defaults: { memory: { embedding: { provider: openai-compatible, model: hashed, baseUrl: "${url}" } } }\n  list: [{ id: main, workspace: "{{workspace}}" }]\n`

describe('problem reports', () => {
  it('shows a problem with its remedy in the status bar until it is solved', async () => {
    const embeddings = await startTroubledEmbeddings()
    embeddings.trouble = 'broken'
    const { page } = await openTestPage({ files: { 'memory/a.md': 'Walrus.\n' }, config: configOf(embeddings.url) })
    const bar = page.getByRole('contentinfo')
    const warning = bar.getByTestId('health')
    await warning.getByText('Search uses keywords only').waitFor()
    await warning.click()
    const problem = page.getByTestId('problem')
    expect(await problem.innerText()).toContain('The model ran out of memory')
    await page.keyboard.press('Escape')
    const again = await bar.getByRole('button', { name: 'Try again' }).elementHandle()
    embeddings.trouble = 'none'
    // A retry of the app would remove the button during a normal click.
    await again?.evaluate((button) => (button as HTMLElement).click())
    await warning.waitFor({ state: 'detached' })
  }, 60_000)

  it('shows four problems as a number, each with an explanation', async () => {
    const files = {
      'memory/a.md': 'Walrus.\n',
      'memory/b.md': new Uint8Array([0xff, 0xfe, 0x00, 0xd8]),
      'memory/c.md': new Uint8Array([0xc3, 0x28]),
    }
    const { page, ...server } = await openTestPage(
      { files, config: configOf('http://127.0.0.1:9/v1') },
      { locale: 'zh-CN', colorScheme: 'dark', viewport: { width: 700, height: 900 } },
    )
    const warning = page.getByRole('contentinfo').getByTestId('health')
    await warning.waitFor()
    await writeFile(join(server.home, 'config.yaml'), 'interface:\n  theme: purple\n')
    await warning.getByText(/4/).waitFor({ timeout: 10_000 })
    await warning.click()
    expect(await page.getByTestId('problem').count()).toBe(4)
    expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true)
    await page.getByRole('button', { name: /config\.yaml/ }).click()
    await page.getByText('interface.theme', { exact: false }).first().waitFor()
  }, 60_000)
})

describe('files of other programs', () => {
  it('are listed once in Notes, and accepted with one click', async () => {
    const { page, ...server } = await openTestPage({ files: { 'home.md': '# Home\n' } })
    page.setDefaultTimeout(15_000)
    await page.getByRole('link', { name: /^Notes/ }).click()
    await page.getByRole('link', { name: 'home.md' }).waitFor()
    const notice = page.getByTestId('outside-files')
    expect(await notice.count()).toBe(0)
    for (const name of ['sent.md', 'list.csv', 'photo.png']) await writeFile(join(server.workspace, name), 'New.\n')
    await page.reload()
    await notice.getByText('Another program added 2 files.').waitFor()
    await pressUntil(notice.getByText('Show'), 'Enter', notice.getByRole('link', { name: 'sent.md' }))
    await notice.getByRole('button', { name: 'They are mine' }).click()
    await notice.waitFor({ state: 'detached' })
    await page.reload()
    await page.getByRole('link', { name: 'sent.md' }).waitFor()
    expect(await notice.count()).toBe(0)
  })
})
