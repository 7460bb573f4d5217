/** A vault of many notes and chats is indexed quickly, and every view renders few elements. */
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { startServer } from '../../src/main/app/server/start-server.ts'
import { mainFolder, prepareFolders } from '../support/app.ts'
import { focusForKeys, openPage, visit } from '../support/browser.ts'
import { until, writeFiles } from '../support/folder.ts'
import { rounds } from '../support/thorough.ts'
import { onTestFinished } from 'vitest'

const maxNodes = 3000
const notes = rounds(400, 1500)
const chats = rounds(150, 400)

function vault(): Record<string, string> {
  const files: Record<string, string> = {
    '.obsidian/app.json': '{"newFileLocation":"root"}',
    '.obsidian/daily-notes.json': '{"folder":"Journal","format":"YYYY-MM-DD"}',
    'Journal/2024-05-21.md': '# Tuesday\n\nThe walrus ate forty herrings.\n',
    'Zoo/deep/below/Walrus.md': '# Walrus\n',
  }
  for (let number = 0; number < notes; number += 1)
    files[`Area ${number % 6}/note ${number}.md`] =
      `# Note ${number}\n\n${'A line about herrings.\n'.repeat(number % 7)}`
  return files
}

function chatFiles(): Record<string, string> {
  return Object.fromEntries(
    Array.from({ length: chats }, (_, number) => {
      const timestamp = new Date(Date.UTC(2026, 0, 1) + number * 60_000).toISOString()
      const message = { role: 'user', content: `Question ${number}`, timestamp: Date.parse(timestamp) }
      const lines = [
        { type: 'session', version: 3, id: `c${number}`, timestamp },
        { type: 'message', id: 'm0', parentId: null, timestamp, message },
      ]
      return [`agents/main/sessions/c${number}.jsonl`, `${lines.map((line) => JSON.stringify(line)).join('\n')}\n`]
    }),
  )
}

async function openVault() {
  const folders = await prepareFolders({ files: vault() })
  await writeFiles(folders.home, chatFiles())
  const server = await startServer({ mainFolder, env: {}, home: folders.home })
  onTestFinished(() => server.close())
  const page = await openPage()
  await page.goto(server.url)
  const go = (path: string) => visit(page, path)
  return { ...folders, server, page, go }
}

const nodes = (page: Page) => page.evaluate(() => document.querySelectorAll('*').length)

describe('large vault', () => {
  it('lists files and chats accessibly and renders few elements in every view', async () => {
    const { page, go } = await openVault()
    const sidebar = page.getByRole('navigation', { name: 'Main navigation' })
    await sidebar.getByRole('link', { name: /^Notes/ }).click()
    await sidebar.getByTestId('vault-line').getByText('Obsidian vault · daily notes in Journal/YYYY-MM-DD').waitFor()
    const tree = sidebar.getByRole('list', { name: 'Notes' })
    for (const name of ['Area 5', 'Area 4', 'Area 3', 'Area 2', 'Area 1', 'Area 0'])
      await tree.getByRole('button', { name: new RegExp(`^${name} `) }).click()
    expect(await nodes(page)).toBeLessThan(maxNodes)

    // Opening a file expands its folders; the arrow keys move between rows and to the parent folder.
    await go('/file/Zoo/deep/below/Walrus.md')
    const row = tree.getByRole('link', { name: /^Walrus\.md/ })
    await row.waitFor()
    const item = tree.getByRole('listitem').filter({ has: page.getByRole('link', { name: /^Walrus\.md/ }) })
    expect(await item.getAttribute('aria-level')).toBe('4')
    expect(Number(await item.getAttribute('aria-setsize'))).toBeGreaterThan(6)
    // The editor takes the focus when it has loaded.
    await page.locator('.monaco-editor.focused').waitFor()
    await focusForKeys(row)
    await page.keyboard.press('ArrowLeft')
    await until(() => tree.getByRole('button', { name: /^below/ }).evaluate((one) => one === document.activeElement))
    await page.keyboard.press('ArrowLeft')
    await row.waitFor({ state: 'detached' })
    await page.keyboard.press('Home')
    await until(() => tree.getByRole('button', { name: /^Area 0/ }).evaluate((one) => one === document.activeElement))
    await page.keyboard.press('End')
    await until(() => page.evaluate(() => document.activeElement?.closest('[role=listitem]') !== null))

    await sidebar.getByRole('link', { name: /^Chat/ }).first().click()
    const list = sidebar.getByRole('list', { name: 'Chats' })
    expect(await list.getByRole('listitem').first().getAttribute('aria-setsize')).toBe(String(chats + 1))
    // In a low window the chats stay visible.
    await page.setViewportSize({ width: 1280, height: 600 })
    const box = await list.getByRole('listitem').first().boundingBox()
    expect(box?.y).toBeLessThan(400)
    await page.setViewportSize({ width: 1440, height: 900 })

    // All matches are counted.
    await go('/find')
    await page.getByRole('textbox', { name: 'Find' }).fill('herrings')
    await page.getByText(/^\d,\d+ matches in [\d,]+ files$/).waitFor({ timeout: 20_000 })
    expect(await nodes(page)).toBeLessThan(maxNodes)

    for (const [path, ready] of [
      ['/changes', 'h1'],
      ['/search?q=walrus+herrings', '[data-testid=result]'],
      ['/file/Journal/2024-05-21.md', '.monaco-editor .view-lines'],
      ['/', 'textarea'],
    ] as const) {
      await go(path)
      await page.locator(ready).first().waitFor({ timeout: 60_000 })
      expect(await nodes(page), path).toBeLessThan(maxNodes)
    }
  }, 180_000)
})
