import { rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { execFileSync } from 'node:child_process'
import type { Locator } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { openModelPage } from '../support/test-page.ts'
import { openPage, visit, undoInToast } from '../support/browser.ts'
import { until } from '../support/folder.ts'
import { openTestServer } from '../support/app.ts'

describe('history', () => {
  it('shows timeline, restore, blame and changes', async () => {
    const edit = { path: 'MEMORY.md', oldText: '- one', newText: '- one\n- from the agent' }
    const { page, open, type, onDisk, say } = await openModelPage(
      [{ calls: [{ name: 'edit', arguments: edit }] }, { text: 'Done.' }],
      { files: { 'MEMORY.md': '# Memory\n\n- one\n' } },
    )
    await say('Write it down')
    await page.getByText('Done.').waitFor()
    await open('MEMORY.md')
    await type('- from me\n')
    await page.keyboard.press('Control+s')
    await page.getByText('Saved', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'History' }).click()
    const entries = page.getByTestId('history-entry')
    const makers = async () => [...new Set((await entries.allInnerTexts()).map((text) => text.split('\n')[0]))]
    await until(async () => (await makers()).join() === `You,Commonplace,Before Commonplace`)
    await page.getByRole('button', { name: 'Blame' }).click()
    await page.locator('.line-numbers', { hasText: /^Commonplace ·/ }).waitFor()
    // If both panels do not fit, the one opened last stays.
    const beside = async (name: string, seen: Locator) => {
      if ((await seen.count()) === 0) await page.getByRole('button', { name, exact: true }).click()
    }
    await beside('History', entries)
    const ofAgent = entries.filter({ hasText: /^Commonplace/ })
    await ofAgent.getByRole('button').first().click()
    await ofAgent.getByTestId('hunk').waitFor()
    await ofAgent.getByRole('button', { name: 'Restore this version' }).click()
    await until(async () => !(await onDisk('MEMORY.md')).includes('from me'))
    await undoInToast(page)
    await until(async () => (await onDisk('MEMORY.md')).includes('from me'))
    await beside('Blame', page.locator('.line-numbers', { hasText: /^Commonplace ·/ }))
    await page.locator('.line-numbers', { hasText: /^Commonplace ·/ }).click()
    await page.waitForURL(/\/chat\/.*#m-/)

    await page.getByRole('link', { name: 'Notes' }).first().click()
    await page.getByRole('navigation').getByRole('link', { name: 'Changes' }).click()
    const change = page.getByTestId('change')
    await change.first().getByText('from the agent').waitFor()
    expect(await change.count()).toBe(1)
    await change.getByRole('button', { name: 'undo' }).click()
    await until(async () => !(await onDisk('MEMORY.md')).includes('from the agent'))
    // The toast reverts the undo.
    const toasts = page.locator('[data-sonner-toast]', { hasText: 'The change was undone' })
    await toasts.first().getByRole('button', { name: 'Undo' }).click()
    await until(async () => (await onDisk('MEMORY.md')).includes('from the agent'))
    // Files from before the history began are one line without undo.
    await page.getByRole('radio', { name: 'all' }).first().click()
    await page.getByTestId('adopted').waitFor()
    expect(await page.getByTestId('adopted').getByRole('button').count()).toBe(0)
  })
})

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
