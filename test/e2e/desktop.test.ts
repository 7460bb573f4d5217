import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { _electron, type Page } from 'playwright-core'
import { describe, expect, it, vi } from 'vitest'
import { HostProcess } from '../../src/main/app/instance-lock/host-process.ts'
import { mainFolder } from '../support/app.ts'
import { openPage } from '../support/browser.ts'
import { installPreload, serveDesktopPage } from '../support/desktop-page.ts'
import { electron, emptyApp } from '../support/electron/shell.ts'
import { folderWith, temporaryFolder, until } from '../support/folder.ts'
import type { UpdateState } from '../../src/shared/contract/update-state.ts'
import { findings } from '../support/axe.ts'

vi.mock('electron', async () => (await import('../support/electron/shell.ts')).electron)

const { acceptPorts } = await import('../../src/main/app/electron/message-ports.ts')
const { interfaceUrl } = await import('../../src/main/app/electron/message-ports.ts')

const root = fileURLToPath(new URL('../../', import.meta.url))

function findRuntime(): string | undefined {
  const folders = [process.env['ELECTRON_OVERRIDE_DIST_PATH'], join(root, 'node_modules/electron/dist')]
  return folders.flatMap((folder) => (folder ? [join(folder, 'electron')] : [])).find((path) => existsSync(path))
}

describe('the desktop app', () => {
  it('starts in Electron', async ({ skip }) => {
    const runtime = findRuntime()
    if (runtime === undefined) {
      process.stdout.write('skipped: no Electron runtime\n')
      return skip()
    }
    const home = await temporaryFolder()
    const env = { ...process.env, COMMONPLACE_HOME: home } as Record<string, string>
    const app = await _electron.launch({ executablePath: runtime, args: [root, '--no-sandbox'], env })
    const window = await app.firstWindow()
    await window.getByRole('button', { name: 'Start' }).click()
    await window.getByRole('textbox', { name: 'Message' }).waitFor()
    expect(new URL(window.url()).protocol).toBe('app:')
    await app.close()
  })
})

interface Shell {
  readonly listeners: Set<(event: object, state: UpdateState) => void>
  readonly received: unknown[]
}

const notes = '## News\n\n- **Faster** <img src="https://evil.example/a.png">\n![](https://evil.example/b.png)'

/** Over the built preload script. The shell's part: test/unit/app/electron/updates.test.ts. */
describe('the desktop window', () => {
  it('answers over the message port; a notice of an update shows its notes as text, and asks before each step', async () => {
    const folder = await folderWith({ 'notes/MEMORY.md': '# Memory\n' })
    const config = `agents: { list: [{ id: main, workspace: ${JSON.stringify(join(folder, 'notes'))} }] }\n`
    const home = await folderWith({ 'config.yaml': config })
    const resident = await HostProcess.open({ mainFolder, env: {}, home })
    await emptyApp()
    acceptPorts(resident)
    const url = await serveDesktopPage(electron.ipcMain, interfaceUrl)
    const page: Page = await openPage()
    const requests: string[] = []
    page.on('request', (request) => void requests.push(request.url()))
    await installPreload(page)
    const say = (state: UpdateState) =>
      page.evaluate((next) => {
        for (const listener of (window as unknown as { shell: Shell }).shell.listeners) listener({}, next)
      }, state)
    const received = () => page.evaluate(() => (window as unknown as { shell: Shell }).shell.received)
    const notice = (name: string) => page.getByRole('contentinfo').getByRole('link', { name })
    const press = (name: string | RegExp) => page.getByRole('main').getByRole('button', { name }).click()

    await page.goto(url)
    expect(await page.evaluate(() => 'commonplaceDesktop' in window)).toBe(true)
    await page.getByRole('textbox', { name: 'Message' }).fill('Remember that we chose PostgreSQL')
    await page.keyboard.press('Enter')
    await page.getByTestId('diff-card').getByText('we chose PostgreSQL').first().waitFor()
    await until(async () => (await received()).includes('state'))
    expect(await notice('Version').count()).toBe(0)

    const found: UpdateState = { stage: 'available', version: '1.1.0', notes, bytes: 120_000_000 }
    await say(found)
    await notice('Version 1.1.0 is available').click()
    const panel = page.getByRole('main').getByRole('status')
    // The panel asks for the state when it appears.
    await until(async () => (await received()).length === 2)
    await say(found)
    const shown = page.getByRole('region', { name: 'Release notes' })
    expect(await shown.innerText()).toBe(notes)
    expect(await shown.locator('img').count()).toBe(0)
    expect(await findings(page)).toEqual([])
    await press(/^Download \(up to 120\sMB\)$/)
    await say({ ...found, stage: 'downloading', share: 0.5 })
    await panel.getByText('Downloading version 1.1.0: 50%').waitFor()
    expect(await page.getByRole('button', { name: /^Download/ }).count()).toBe(0)

    await say({ ...found, stage: 'ready' })
    await page.getByText('It is installed when you quit Commonplace.').waitFor()
    await press('Restart and install')
    await press('Later')
    await say({ ...found, stage: 'ready', isHidden: true })
    // The settings show it further.
    await until(async () => (await notice('Version').count()) === 0)
    await panel.getByText('Version 1.1.0 is ready').waitFor()

    await say({ stage: 'none' })
    await press('Check for updates')
    await press('Go back to the earlier version')
    await say({ stage: 'current', isEarlier: true })
    await panel.getByText('The update address offers no earlier version.').waitFor()
    expect(await notice('The update').count()).toBe(0)
    await say({ ...found, isEarlier: true })
    await notice('Go back to version 1.1.0').waitFor()
    await say({ stage: 'failed', reason: 'sha512 checksum mismatch' })
    await notice('The update failed').waitFor()
    await page.getByText('The installed version stays in use. sha512 checksum mismatch').waitFor()
    await press('Check for updates')
    const actions = (await received()).filter((action) => action !== 'state')
    expect(actions).toEqual(['download', 'restart', 'hide', 'check', 'goBack', 'check'])
    expect(requests.filter((request) => !request.startsWith(url) && !request.startsWith('ws:'))).toEqual([])
    await resident.close()
  })
})
