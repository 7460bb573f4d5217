import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { openTestServer } from '../support/app.ts'
import { closeBrowser, openPage } from '../support/browser.ts'
import { until } from '../support/folder.ts'
import { rounds } from '../support/thorough.ts'
import { moveFolder } from './move-folder.ts'

afterAll(closeBrowser)

const count = rounds(600, 1500)

describe('move of many notes', () => {
  it('shows the progress, and moves nothing if cancelled', async () => {
    const files = Object.fromEntries(
      Array.from({ length: count }, (_, at) => [`Projects/n${at}.md`, `[[Projects/n${(at + 1) % count}]]\n`]),
    )
    const server = await openTestServer({ files })
    const page = await openPage()
    await page.goto(server.url)
    await moveFolder(page, 'Projects', 'Archive')
    const notice = page.getByTestId('move-running')
    await notice.getByText('Projects → Archive').waitFor()
    await notice.getByRole('button', { name: 'Cancel' }).click()
    await page.getByText('Cancelled. Nothing was moved or changed.').waitFor({ timeout: 30_000 })
    await notice.waitFor({ state: 'detached' })
    await until(() => existsSync(join(server.workspace, 'Projects/n7.md')))
    expect(existsSync(join(server.workspace, 'Archive'))).toBe(false)
  }, 90_000)
})
