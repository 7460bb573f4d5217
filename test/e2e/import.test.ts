import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { unzipSync } from 'fflate'
import { openTestServer } from '../support/app.ts'
import { findings } from '../support/axe.ts'
import { openPage, saved, visit } from '../support/browser.ts'
import { folderWith, until } from '../support/folder.ts'
import { openTestPage } from '../support/test-page.ts'

describe('import', () => {
  it('takes over the ticked settings of another program, and undoes it', async () => {
    const home = await folderWith({
      '.clawdbot/clawdbot.yaml': `agents:
  main:
    memory: { embeddingProvider: openai, embeddingModel: text-embedding-3-small, chunkSize: 300, chunkOverlap: 60 }
  work:
    workspace: ~/work
    compaction: { enabled: false }
    heartbeat: { every: 30m }
`,
      '.moltbot/moltbot.json': '{ agent: { thinkingDefault: "low" } }',
      '.openclaw/openclaw.json': '{\n  agents: [\n',
    })
    vi.stubEnv('HOME', home)
    onTestFinished(() => void vi.unstubAllEnvs())
    const server = await openTestServer()
    const configText = () => readFile(join(server.home, 'config.yaml'), 'utf8')
    const before = await configText()
    const page = await openPage()
    await page.goto(new URL(server.url).href)
    await visit(page, '/settings#import')
    const [settings, other, broken] = [0, 1, 2].map((index) => page.getByTestId('foreign-settings').nth(index))
    if (!settings || !other || !broken) throw new Error('no cards')
    await broken.getByText('openclaw.json:3').waitFor()
    expect(await broken.getByRole('checkbox').isDisabled()).toBe(true)
    await settings.getByText('0 of 6 selected, 1 not taken over').click()
    await settings.getByText('→ new agent work, folder ~/work').waitFor()
    const box = (name: RegExp) => settings.getByRole('checkbox', { name })
    const boxes = [
      /embeddingProvider: openai → /,
      /chunkSize: 300 → /,
      /agents.work.workspace: /,
      /compaction.enabled: /,
    ]
    const ticks = () => Promise.all(boxes.map((name) => box(name).isChecked()))
    await box(/Take over settings/).check()
    // Settings that send text to another machine are not ticked unasked.
    expect(await ticks()).toEqual([false, true, true, true])
    await settings.getByText('Sends text to another machine.', { exact: false }).waitFor()
    await settings.getByText('Needs an API key', { exact: false }).waitFor()
    // Without the agent, its settings have no place.
    await box(/agents.work.workspace: /).press('Space')
    expect(await ticks()).toEqual([false, true, false, false])
    expect(await box(/compaction.enabled: /).isDisabled()).toBe(true)
    await box(/embeddingProvider: openai → /).press('Space')
    await other.getByRole('checkbox', { name: 'Take over settings' }).check()
    expect(await findings(page)).toEqual([])
    await page.getByRole('button', { name: 'Take over settings' }).click()
    await page.getByText('Settings taken over: 5').waitFor()
    expect(await configText()).toContain('provider: openai')
    expect(await configText()).not.toContain('id: work')
    await page.getByRole('button', { name: 'Undo', exact: true }).click()
    await until(async () => (await configText()) === before)
    await page.setViewportSize({ width: 360, height: 800 })
    await settings.scrollIntoViewIfNeeded()
    expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true)
  }, 90_000)
})

describe('import and export', () => {
  it('shows the plan, imports, undoes and exports', async () => {
    const vault = await folderWith({
      'one.md': '# One\n',
      '日记/two.md': '# 二\n\n![](/img/a.png)\n',
      'img/a.png': 'not drawn here',
      'board.drawio': 'a diagram',
    })
    const { page, onDisk, workspace } = await openTestPage({ files: { 'Home.md': 'See [[one]].\n' } })
    await page.locator('textarea').first().waitFor()
    await page.keyboard.press('Control+,')
    await page.getByRole('navigation', { name: 'Sections' }).getByRole('link', { name: 'Data' }).click()
    const source = page.getByRole('textbox', { name: 'Folder or export file' })
    await source.fill('/no/such/place')
    await page.getByRole('button', { name: 'Preview', exact: true }).last().click()
    await page.getByRole('alert').getByText('does not exist', { exact: false }).waitFor()
    await source.fill(vault)
    await source.press('Enter')
    const plan = page.getByTestId('import-plan')
    await plan.getByText('2 files to add', { exact: false }).waitFor()
    await plan.getByText('1 image, recording or document to add', { exact: false }).waitFor()
    await plan.getByText('1 link is updated', { exact: false }).waitFor()
    const changed = page.getByTestId('changed-links')
    await changed.getByText('1 broken link in your notes would point to an imported file').waitFor()
    await plan.getByText('1 file is not imported').click()
    await plan.getByText('board.drawio').waitFor()
    const withAttachments = plan.getByRole('checkbox', { name: 'Import images, recordings and documents' })
    await withAttachments.uncheck()
    await plan.getByText('2 files are not imported').waitFor()
    await plan.getByText('1 link points to a file that is not imported').waitFor()
    await withAttachments.check()
    await plan.getByText('1 file is not imported').waitFor()
    await plan.scrollIntoViewIfNeeded()
    await plan.getByRole('button', { name: 'Import' }).click()
    await page.getByText('3 files imported.').waitFor()
    const imported = await onDisk('memory/imports/日记/two.md')
    expect(imported).toMatch(/^---\nimported: "[^"]+, \d{4}-\d{2}-\d{2}"\n---\n/)
    expect(imported.endsWith('\n# 二\n\n![](/memory/imports/img/a.png)\n')).toBe(true)
    expect(await onDisk('memory/imports/img/a.png')).toBe('not drawn here')
    await page.getByRole('checkbox', { name: 'Include history (Git repository, without private text)' }).check()
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Export workspace as zip' }).click(),
    ])
    const zip = unzipSync(new Uint8Array(await readFile(await saved(download))))
    expect(Object.keys(zip)).toContain('memory/imports/日记/two.md')
    expect(Object.keys(zip)).toContain('history.git/HEAD')
    // The import can be undone later; files changed since stay.
    await writeFile(join(workspace, 'memory/imports/one.md'), 'Changed since.\n')
    await page.reload()
    const past = page.getByRole('region', { name: 'Imports that you can undo' })
    await past.getByText(vault, { exact: true }).waitFor()
    await past.getByRole('button', { name: 'Undo import' }).click()
    await past.getByText('1 file was changed after the import and was not removed.').click()
    await past.getByText('memory/imports/one.md').waitFor()
    await until(() => !existsSync(join(workspace, 'memory/imports/img/a.png')))
    expect(await onDisk('memory/imports/one.md')).toBe('Changed since.\n')
  })
})
