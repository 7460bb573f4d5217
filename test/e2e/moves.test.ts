/** Starts with an interrupted move of a large folder that must be completed first. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { startServer } from '../../src/main/app/server/start-server.ts'
import { Mutex } from '../../src/main/platform/index.ts'
import { mainFolder, prepareFolders } from '../support/app.ts'
import { openPage, visit } from '../support/browser.ts'
import { until, writeFiles } from '../support/folder.ts'
import { pendingMove, storePendingChange } from '../support/pending-change.ts'
import { rounds } from '../support/thorough.ts'

type Server = Awaited<ReturnType<typeof startServer>>

const notes = rounds(450, 1500)

describe('start after a crash', () => {
  it('lists and links the notes that were changed meanwhile', async () => {
    const { home, workspace } = await prepareFolders({ files: { 'b.md': '# B\n', 'notes/one.md': 'See [[a]].\n' } })
    const texts = ['notes/one.md', 'notes/two.md'].map((path) => ({
      path,
      before: 'See [[a]].\n',
      after: 'See [[b]].\n',
    }))
    await storePendingChange({ home, workspace }, pendingMove('a.md', 'b.md', texts))
    await writeFiles(workspace, { 'notes/two.md': 'Written since: [[a]].\n' })
    const server = await startServer({ mainFolder, env: {}, home })
    onTestFinished(() => server.close())
    const page = await openPage()
    await page.goto(server.url)
    await page.getByRole('link', { name: /^Notes/ }).click()
    await page.getByRole('link', { name: 'b.md' }).waitFor()
    await visit(page, '/settings#health')
    const left = page.getByRole('list', { name: 'Notes that were not changed' })
    await left.getByRole('link', { name: 'notes/two.md' }).waitFor()
    expect(await left.getByRole('link').count()).toBe(1)
    await left.getByRole('link', { name: 'notes/two.md' }).click()
    await page.getByText('Written since').waitFor()
  })

  it('completes an interrupted replacement, reports it above the chat, and undoes it there', async () => {
    const [before, after] = ['A #cat.\n', 'A #dog.\n']
    const paths = Array.from({ length: notes }, (_, at) => `notes/n${at}.md`)
    const { home, workspace } = await prepareFolders({
      files: Object.fromEntries(paths.map((path) => [path, before])),
    })
    const files = paths.map((path) => ({ path, before, after }))
    await storePendingChange(
      { home, workspace },
      { kind: 'replacement', detail: { replacement: { text: 'cat', replacement: 'dog', count: notes } }, files },
    )
    // The page must be open before the replacement continues.
    const isOpen = Promise.withResolvers<void>()
    const lock = Mutex.runOnce(workspace, () => isOpen.promise)
    let server: Server | undefined
    onTestFinished(() => server?.close())
    const page = await openPage()
    server = await startServer({ mainFolder, env: {}, home })
    await page.goto(server.url)
    await page.getByRole('navigation').first().waitFor()
    await visit(page, '/changes')
    isOpen.resolve()
    await lock
    await page.getByRole('status').filter({ hasText: 'Completing an interrupted replacement.' }).waitFor()
    await visit(page, '/')
    const notice = page.getByRole('listitem').filter({
      hasText: `A replacement interrupted by a crash was completed. ${notes.toLocaleString('en')} notes were updated.`,
    })
    await notice.getByText('cat → dog').waitFor({ timeout: 60_000 })
    // The notice also appears after a reload, until the user dismisses it.
    await page.reload()
    await notice.getByRole('button', { name: 'Undo' }).click()
    const file = join(workspace, 'notes/n7.md')
    await until(async () => (await readFile(file, 'utf8')) === before, 30_000)
    await page.reload()
    await page.getByRole('link', { name: 'n7' }).or(page.getByRole('textbox')).first().waitFor()
    expect(await notice.count()).toBe(0)
  }, 120_000)
})
