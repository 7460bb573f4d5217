import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { _electron } from 'playwright-core'
import { afterAll, describe, expect, it, vi } from 'vitest'
import { HostProcess } from '../../src/main/app/instance-lock/host-process.ts'
import { mainFolder } from '../support/app.ts'
import { closeBrowser, openPage } from '../support/browser.ts'
import { installPreload, serveDesktopPage } from '../support/desktop-page.ts'
import { electron, emptyApp } from '../support/electron/shell.ts'
import { temporaryFolder } from '../support/folder.ts'
import { tellFirstStory } from './story.ts'

vi.mock('electron', async () => (await import('../support/electron/shell.ts')).electron)

const { acceptPorts } = await import('../../src/main/app/electron/message-ports.ts')
const { interfaceUrl } = await import('../../src/main/app/electron/message-ports.ts')

afterAll(closeBrowser)

const root = fileURLToPath(new URL('../../', import.meta.url))

function findRuntime(): string | undefined {
  const folders = [process.env['ELECTRON_OVERRIDE_DIST_PATH'], join(root, 'node_modules/electron/dist')]
  return folders.flatMap((folder) => (folder ? [join(folder, 'electron')] : [])).find((path) => existsSync(path))
}

describe('first user story in the desktop window', () => {
  it('runs over preload script, message port and shell', async () => {
    const folder = await temporaryFolder()
    const resident = await HostProcess.open({ mainFolder, env: {}, home: join(folder, 'state') })
    await emptyApp()
    acceptPorts(resident)
    const url = await serveDesktopPage(electron.ipcMain, interfaceUrl)
    const page = await openPage()
    await installPreload(page)
    await tellFirstStory({ page, url, workspace: join(folder, 'notes') })
    expect(await page.evaluate(() => 'commonplaceDesktop' in window)).toBe(true)
    await resident.close()
  })

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
