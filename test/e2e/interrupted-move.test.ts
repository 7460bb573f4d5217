/** A start at which a move that was interrupted has to be completed first, in a large folder. */
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import { startServer } from '../../src/main/host/server.ts'
import { pendingText } from '../../src/main/workspace/pending-change.ts'
import { mainFolder, prepareFolders } from '../support/app.ts'
import { closeBrowser, keepScreenshot, openPage } from '../support/browser.ts'
import { writeFiles } from '../support/folder.ts'
import { rounds } from '../support/thorough.ts'

afterAll(closeBrowser)

type Server = Awaited<ReturnType<typeof startServer>>

const notes = 1500
const looks = [
  ['light', 'en-US', 'A move that was interrupted is being completed.'],
  ['dark', 'zh-CN', '正在完成上次中断的移动'],
] as const

describe('M67 a start after a crash', () => {
  it.each(looks.slice(0, rounds(1, looks.length)))(
    'M67: the tree says that a move is being completed, until it is (%s %s)',
    async (colorScheme, locale, words) => {
      const [before, after] = ['See [[a]].\n', 'See [[b]].\n']
      const paths = Array.from({ length: notes }, (_, at) => `notes/n${at}.md`)
      const { home } = await prepareFolders({
        files: { 'b.md': '# B\n', ...Object.fromEntries(paths.map((path) => [path, before])) },
      })
      const change = {
        format: 1,
        move: { from: 'a.md', to: 'b.md', isFolder: false },
        texts: paths.map((path) => pendingText(path, path, before, after)),
        origin: { cause: 'user' },
      }
      await writeFiles(home, { 'agents/main/pending-change.json': JSON.stringify(change) })
      let server: Server | undefined
      onTestFinished(() => server?.close())
      // Opened before the server, and closed before it: the tree is looked at from its first moment on.
      const page = await openPage({ colorScheme, locale })
      server = await startServer({ mainFolder, env: {}, home })
      await page.goto(server.url)
      const told = page.getByRole('status').filter({ hasText: words })
      await told.waitFor()
      await keepScreenshot(page, `interrupted-move-${colorScheme}`)
      await page.getByRole('link', { name: 'b.md' }).waitFor({ timeout: 60_000 })
      expect(await told.count()).toBe(0)
    },
    120_000,
  )
})
