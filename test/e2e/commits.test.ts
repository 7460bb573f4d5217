import { execFileSync } from 'node:child_process'
import { rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, describe, it } from 'vitest'
import { openTestServer } from '../support/app.ts'
import { closeBrowser, openPage, visit } from '../support/browser.ts'

afterAll(closeBrowser)

function commitAll(folder: string, message: string): void {
  const who = ['-c', 'user.name=Ada Lovelace', '-c', 'user.email=ada@example.org', '-c', 'commit.gpgSign=false']
  for (const args of [
    ['add', '-A'],
    [...who, 'commit', '-qm', message],
  ])
    execFileSync('git', ['-C', folder, ...args], { stdio: 'ignore' })
}

describe('history with a Git repository', () => {
  it('lists a file’s commits with author, message and changes', async () => {
    const { url, workspace } = await openTestServer({ files: { 'notes/old.md': '# Plan\n\nOne.\n' } })
    execFileSync('git', ['-C', workspace, 'init', '-q'])
    commitAll(workspace, 'Begin the plan')
    await rename(join(workspace, 'notes/old.md'), join(workspace, 'notes/plan.md'))
    commitAll(workspace, 'Call it plan')
    await writeFile(join(workspace, 'notes/plan.md'), '# Plan\n\nOne.\nTwo, after the talk.\n')
    commitAll(workspace, 'Add what was said')
    const page = await openPage()
    await page.goto(url)
    await page.locator('textarea').first().waitFor()
    await visit(page, '/file/notes/plan.md')
    await page.getByRole('button', { name: 'History' }).click()
    const commits = page.getByTestId('history-commit')
    await commits.nth(2).waitFor()
    await commits.filter({ hasText: 'Call it plan' }).getByText('moved from notes/old.md').waitFor()
    await commits.filter({ hasText: 'Add what was said' }).getByRole('button', { name: 'Ada Lovelace' }).click()
    await commits.getByText('Two, after the talk.').waitFor()
    await page.getByTestId('history-entry').first().waitFor()
  })
})
