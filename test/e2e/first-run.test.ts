import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { openTestServer } from '../support/app.ts'
import { openPage, visit } from '../support/browser.ts'
import { openTestPage } from '../support/test-page.ts'
import { folderWith, until } from '../support/folder.ts'
import { startModelServer } from '../support/model-server.ts'
import { rounds } from '../support/thorough.ts'

describe('first start', () => {
  it('shows errors beside the field and clears them on change', async () => {
    const models = await startModelServer()
    const other = await startModelServer()
    models.models = [{ id: 'first-model' }]
    other.models = [{ id: 'second-model' }]
    const { page } = await openTestPage({ config: '' }, { locale: 'zh-CN', viewport: { width: 360, height: 780 } })
    const folder = page.getByRole('textbox', { name: '笔记文件夹' })
    const reason = page.getByRole('alert')
    const file = join(await folderWith({ taken: 'a file' }), 'taken')
    for (const wrong of ['notes', '/', join(file, 'inside', 'x'.repeat(120))]) {
      await folder.fill(wrong)
      await folder.press('Enter')
      await reason.waitFor()
      expect(await reason.innerText()).not.toMatch(/ENOTDIR|EEXIST|ENOENT|absolute|whole disk/)
      expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true)
      await folder.fill(join(file, '..', 'other'))
      await reason.waitFor({ state: 'detached' })
    }
    // The models of one server must not be offered for the next one.
    await page.getByRole('radio', { name: '本地或其他服务器' }).click()
    const address = page.getByPlaceholder('http://localhost:11434/v1')
    await address.fill(`${models.url}/v1`)
    const connect = page.getByRole('button', { name: '连接', exact: true })
    await connect.click()
    await page.getByRole('option', { name: 'first-model' }).waitFor({ state: 'attached' })
    await address.fill(`${other.url}/v1`)
    await connect.click()
    await page.getByRole('option', { name: 'second-model' }).waitFor({ state: 'attached' })
    expect(await page.getByRole('option', { name: 'first-model' }).count()).toBe(0)
  })

  it('copies found memories and imports settings, with a report', async () => {
    const home = await folderWith({
      '.claude/CLAUDE.md': '# Rules\n\nThe walrus is called Bob.\n',
      'clawd/MEMORY.md': '# M\n\nThe gate code is 4711.\n',
      '.openclaw/openclaw.json':
        '{ agents: { defaults: { thinkingDefault: "high", heartbeat: { every: "30m" }, memorySearch: { remote: { apiKey: "k" } } } } }',
    })
    vi.stubEnv('HOME', home)
    onTestFinished(() => void vi.unstubAllEnvs())
    const server = await openTestServer({ config: '' })
    const workspace = join(home, 'mine')
    const page = await openPage()
    await page.goto(server.url)
    await page.getByRole('textbox', { name: 'Folder for the memory' }).fill(workspace)
    const found = page.getByTestId('found-memory')
    await until(async () => (await found.count()) === 2)
    for (const index of [0, 1]) await found.nth(index).getByRole('button', { name: 'Copy it' }).click()
    const settings = page.getByTestId('foreign-settings')
    await settings.getByText('0 of 1 selected, 2 not taken over').click()
    await settings.getByText('→ agents.defaults.chat.thinking: high').waitFor()
    await settings.getByText('keys are not copied', { exact: false }).waitFor()
    await settings.getByRole('checkbox', { name: 'Take over settings' }).check()
    await settings.getByText('1 of 1 selected, 2 not taken over').waitFor()
    await page.getByRole('button', { name: 'Start' }).click()
    await page.getByText('Settings taken over: 1').waitFor()
    await page.getByText('1 file imported.', { exact: false }).first().waitFor()
    await until(() => existsSync(join(workspace, 'memory/imports/claude-code/CLAUDE (imported).md')), 20_000)
    await until(() => existsSync(join(workspace, 'memory/imports/openclaw/MEMORY.md')), 20_000)
    expect(await readFile(join(server.home, 'config.yaml'), 'utf8')).toContain('thinking: high')
    expect(await readdir(join(home, '.claude'))).toEqual(['CLAUDE.md'])
  }, 90_000)

  it('shows the progress of a large copy, continues without the window, and can cancel', async () => {
    const copied = rounds(1500, 3000)
    const notes = Array.from(
      { length: copied },
      (_, index) => [`.claude/notes/${index}.md`, `# Note ${index}\n`] as const,
    )
    const home = await folderWith({
      ...Object.fromEntries(notes),
      '.openclaw/openclaw.json': '{ agents: { defaults: { thinkingDefault: "high" } } }',
    })
    vi.stubEnv('HOME', home)
    onTestFinished(() => void vi.unstubAllEnvs())
    const server = await openTestServer({ config: '' })
    const workspace = join(home, 'mine')
    const page = await openPage()
    await page.goto(server.url)
    await page.getByRole('textbox', { name: 'Folder for the memory' }).fill(workspace)
    await page
      .getByTestId('found-memory')
      .getByText(`${copied.toLocaleString('en')} files`)
      .waitFor()
    await page.getByTestId('found-memory').getByRole('button', { name: 'Copy it' }).click()
    await page.getByRole('button', { name: 'Start' }).click()
    await page
      .getByTestId('import-running')
      .getByText(`of ${copied.toLocaleString('en')}`)
      .waitFor()
    await page.close()
    const again = await openPage()
    await again.goto(await server.oneTimeUrl())
    const running = again.getByTestId('import-running')
    await running.getByText(join(home, '.claude')).waitFor()
    await running.getByRole('button', { name: 'Cancel' }).click()
    await again.getByText('Cancelled after', { exact: false }).waitFor()
    expect(await running.count()).toBe(0)
    const made = await readdir(join(workspace, 'memory/imports/claude-code/notes'))
    await again.getByText(`Cancelled after ${made.length.toLocaleString('en')} files.`).waitFor()
    await visit(again, `${new URL(again.url()).origin}/settings#import`)
    await again.getByTestId('foreign-settings').getByRole('checkbox').check()
    await again.getByRole('button', { name: 'Take over settings' }).click()
    await again.getByText('Settings taken over: 1').waitFor()
    expect(await readFile(join(server.home, 'config.yaml'), 'utf8')).toContain('thinking: high')
  }, 120_000)
})

describe('separate folder for the agent’s files', () => {
  it('keeps them in .commonplace of a vault and moves them from the settings', async () => {
    const vault = await folderWith({
      '.obsidian/app.json': '{}',
      'Home.md': '# Home\n\nWhat I know: [[MEMORY]]\n',
    })
    const { page } = await openTestPage({ config: '' })
    await page.getByRole('textbox', { name: 'Folder for the memory' }).fill(vault)
    const lead = page.getByRole('group', { name: /AGENTS\.md, MEMORY\.md and other agent files/ })
    await lead.waitFor()
    expect(await lead.getByRole('radio', { name: 'In a separate folder' }).isChecked()).toBe(true)
    await page.getByRole('checkbox', { name: /Add the files that an agent reads/ }).check()
    await page.getByRole('button', { name: 'Start' }).click()
    await page.getByRole('textbox', { name: 'Message' }).waitFor()
    expect((await readdir(vault)).sort()).toEqual(['.commonplace', '.obsidian', 'Home.md'])
    const tour = page.getByRole('complementary', { name: 'Tour' })
    await tour.getByRole('button', { name: 'Next' }).click()
    await tour.getByRole('button', { name: 'Next' }).click()
    await tour.getByRole('button', { name: 'Done' }).click()

    await page.getByRole('link', { name: /^Notes/ }).click()
    const tree = page.getByRole('region', { name: 'Notes' })
    await tree.getByRole('link', { name: /^MEMORY\.md/ }).click()
    await page.locator('.monaco-editor').first().waitFor()
    expect(decodeURIComponent(page.url())).toContain('/file/.commonplace/MEMORY.md')

    await visit(page, '/settings#agents')
    await page.getByRole('button', { name: 'Location of agent files' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('textbox', { name: 'Folder name' }).fill('Agent')
    await dialog.getByRole('button', { name: 'Move' }).click()
    await page.getByText('5 files moved to Agent.').waitFor()
    await until(async () => (await readdir(vault)).includes('Agent'))
  }, 90_000)
})
