import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { _electron, type ElectronApplication, type Page } from 'playwright-core'
import { describe, expect, it, vi } from 'vitest'
import { firstUse, secondUse, toolsOf } from '../../.github/scripts/test-package.mjs'
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

// Playwright quotes a separator at the end wrongly on Windows.
const root = resolve(fileURLToPath(new URL('../../', import.meta.url)))

/** Returns the executable of Electron's runtime; undefined if it cannot run here. */
function findRuntime(): string | undefined {
  const { ELECTRON_OVERRIDE_DIST_PATH: named, DISPLAY, WAYLAND_DISPLAY } = process.env
  if (process.platform === 'linux' && !DISPLAY && !WAYLAND_DISPLAY) return undefined
  const names: Partial<Record<string, string>> = {
    darwin: 'Electron.app/Contents/MacOS/Electron',
    win32: 'electron.exe',
  }
  const name = names[process.platform] ?? 'electron'
  return [named, join(root, 'node_modules/electron/dist')]
    .flatMap((folder) => (folder ? [join(folder, name)] : []))
    .find((path) => existsSync(path))
}

/** Run by the workflow on Linux, macOS and Windows: on the stand-in, no test shows that Electron itself does the same. */
describe('the desktop app on Electron', () => {
  const runtime = findRuntime()
  if (runtime === undefined) process.stdout.write('skipped: no Electron runtime, or no display\n')

  it.skipIf(runtime === undefined)(
    'starts, writes and finds a note, captures, starts twice and quits',
    async () => {
      const [home, notes] = [await temporaryFolder(), join(await temporaryFolder(), 'notes')]
      const env = { ...process.env, COMMONPLACE_HOME: home } as Record<string, string>
      const args = [root, ...(process.platform === 'linux' ? ['--no-sandbox'] : [])]
      const launch = () => _electron.launch({ executablePath: runtime ?? '', args, env, timeout: 90_000 })
      const again = (...more: string[]) => spawnSync(runtime ?? '', [...args, ...more], { env, timeout: 30_000 }).status
      // A window has no address of the app at first.
      const pageOf = async (app: ElectronApplication, isWanted: (page: Page) => boolean) => {
        const find = () => app.windows().find((page) => page.url().startsWith('app:') && isWanted(page))
        await until(() => find() !== undefined, 60_000)
        return find() as Page
      }
      const isCapture = (page: Page) => new URL(page.url()).pathname === '/capture'
      const app = await launch()
      await firstUse(await pageOf(app, (one) => !isCapture(one)), notes)

      // The page closes itself after it has saved; the next window is ready.
      const capture = await pageOf(app, isCapture)
      // A hidden page is not drawn, and waits.
      await app.evaluate(({ BrowserWindow }) =>
        BrowserWindow.getAllWindows()
          .find(({ webContents }) => webContents.getURL().endsWith('/capture'))
          ?.show(),
      )
      await capture.getByRole('textbox', { name: 'Quick capture' }).fill('The spare key is under the blue pot')
      await Promise.all([capture.waitForEvent('close'), capture.getByRole('button', { name: /^Remember/ }).click()])
      await pageOf(app, (one) => one !== capture && isCapture(one))

      // A second start shows the window, or captures the note of its link, and ends.
      expect(again()).toBe(0)
      expect(again('commonplace://remember?text=hello')).toBe(0)
      await until(async () => {
        const texts = app
          .windows()
          .filter((one) => one.url().includes('/capture?'))
          .map((one) => one.getByRole('textbox').inputValue())
        return (await Promise.all(texts)).includes('hello')
      })
      const tools = await toolsOf(runtime ?? '', home, [...args, 'mcp'])
      expect(tools).toContain('memory_search')

      const ended = once(app.process(), 'exit')
      await app.evaluate(({ app: running }) => running.quit()).catch(() => undefined)
      expect((await ended)[0]).toBe(0)

      const next = await launch()
      await secondUse(await pageOf(next, (one) => !isCapture(one)))
      await next.close()
    },
    300_000,
  )
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
