import { rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { execFileSync } from 'node:child_process'
import type { Locator } from 'playwright-core'
import { afterAll, describe, expect, it } from 'vitest'
import { openMemory } from '../support/open-memory.ts'
import { closeBrowser, openPage, visit } from '../support/browser.ts'
import { until } from '../support/folder.ts'
import { startModelServer } from '../support/model-server.ts'
import { rounds } from '../support/thorough.ts'
import { openTestServer } from '../support/app.ts'

afterAll(closeBrowser)

describe('history', () => {
  const looks = [
    ['light', 'en-US', 1440, 900],
    ['dark', 'zh-CN', 1024, 700],
  ] as const
  it.each(looks.slice(0, rounds(1, 2)))(
    'shows timeline, restore, blame and changes, %s %s',
    async (colorScheme, locale, width, height) => {
      const model = await startModelServer(
        {
          calls: [
            { name: 'edit', arguments: { path: 'MEMORY.md', oldText: '- one', newText: '- one\n- from the agent' } },
          ],
        },
        { text: 'Done.' },
      )
      const { page, open, type, onDisk } = await openMemory(
        {
          files: { 'MEMORY.md': '# Memory\n\n- one\n' },
          config: `providers: { anthropic: { baseUrl: "${model.url}" } }\nagents: { list: [{ id: main, workspace: "{{workspace}}", model: anthropic/m }] }\n`,
          env: { ANTHROPIC_API_KEY: 'k' },
        },
        { colorScheme, locale, viewport: { width, height } },
      )
      const name = (en: string, zh: string) => (locale === 'en-US' ? en : zh)
      await page.getByRole('textbox', { name: name('Message', '消息') }).fill('Write it down')
      await page.keyboard.press('Enter')
      await page.getByText('Done.').waitFor()
      await open('MEMORY.md')
      await type('- from me\n')
      await page.keyboard.press('Control+s')
      await page.getByText(name('Saved', '已保存'), { exact: true }).waitFor()
      await page.getByRole('button', { name: name('History', '历史') }).click()
      const entries = page.getByTestId('history-entry')
      const makers = async () => [...new Set((await entries.allInnerTexts()).map((text) => text.split('\n')[0]))]
      await until(
        async () =>
          (await makers()).join() ===
          `${name('You', '你')},Commonplace,${name('Before Commonplace', '使用 Commonplace 之前')}`,
      )
      await page.getByRole('button', { name: name('Blame', '每行是谁写的') }).click()
      await page.locator('.line-numbers', { hasText: /^Commonplace ·/ }).waitFor()
      // If both panels do not fit, the one opened last stays.
      const beside = async (en: string, zh: string, seen: Locator) => {
        if ((await seen.count()) === 0) await page.getByRole('button', { name: name(en, zh), exact: true }).click()
      }
      await beside('History', '历史', entries)
      const ofAgent = entries.filter({ hasText: /^Commonplace(?! 之前)/ })
      await ofAgent.getByRole('button').first().click()
      await ofAgent.getByTestId('hunk').waitFor()
      await ofAgent.getByRole('button', { name: name('Restore this version', '恢复此版本') }).click()
      await until(async () => !(await onDisk('MEMORY.md')).includes('from me'))
      await page
        .locator('[data-sonner-toast]')
        .getByRole('button', { name: name('Undo', '撤销') })
        .first()
        .click()
      await until(async () => (await onDisk('MEMORY.md')).includes('from me'))
      await beside('Blame', '每行是谁写的', page.locator('.line-numbers', { hasText: /^Commonplace ·/ }))
      await page.locator('.line-numbers', { hasText: /^Commonplace ·/ }).click()
      await page.waitForURL(/\/chat\/.*#m-/)

      await page
        .getByRole('link', { name: name('Notes', '笔记') })
        .first()
        .click()
      await page
        .getByRole('navigation')
        .getByRole('link', { name: name('Changes', '改动') })
        .click()
      const change = page.getByTestId('change')
      await change.first().getByText('from the agent').waitFor()
      expect(await change.count()).toBe(1)
      await change.getByRole('button', { name: name('undo', '撤销') }).click()
      await until(async () => !(await onDisk('MEMORY.md')).includes('from the agent'))
      // The undo can be reverted at the change and in the toast.
      await change.getByRole('button', { name: name('Redo', '重做') }).click()
      await until(async () => (await onDisk('MEMORY.md')).includes('from the agent'))
      await change.getByRole('button', { name: name('undo', '撤销') }).click()
      await until(async () => !(await onDisk('MEMORY.md')).includes('from the agent'))
      const toasts = page.locator('[data-sonner-toast]', { hasText: name('The change was undone', '已撤销改动') })
      // Shows all toasts, of which the newest covers the others.
      await page.locator('[data-sonner-toast][data-front=true]').hover()
      await toasts
        .first()
        .getByRole('button', { name: name('Undo', '撤销') })
        .click()
      await until(async () => (await onDisk('MEMORY.md')).includes('from the agent'))
      // Files from before the history began are one line without undo.
      await page
        .getByRole('radio', { name: name('all', '全部') })
        .first()
        .click()
      await page.getByTestId('adopted').waitFor()
      expect(await page.getByTestId('adopted').getByRole('button').count()).toBe(0)
    },
  )
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
