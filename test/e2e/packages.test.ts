/** The steps with which the workflows test packages run in the browser host, so that they follow the interface. */
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { firstUse, secondUse } from '../../.github/scripts/test-package.mjs'
import { shownVersion, visit } from '../../.github/scripts/update-test.mjs'
import { startServer } from '../../src/main/app/server/start-server.ts'
import { appVersion } from '#platform'
import { mainFolder } from '../support/app.ts'
import { closeBrowser, openPage } from '../support/browser.ts'
import { temporaryFolder } from '../support/folder.ts'

afterAll(closeBrowser)

describe('the test of a package', () => {
  it('stores a note, and finds it after a restart', async () => {
    const folder = await temporaryFolder()
    const home = join(folder, 'home')
    for (const use of [firstUse, secondUse]) {
      const server = await startServer({ mainFolder, env: {}, home })
      const page = await openPage()
      await page.goto(server.url)
      await use(page, join(folder, 'notes'))
      expect(await shownVersion(page)).toBe(appVersion)
      await visit(page, '/file/MEMORY.md')
      await page.getByRole('tab', { name: 'MEMORY.md' }).or(page.locator('.monaco-editor')).first().waitFor()
      await page.close()
      await server.close()
    }
  })
})
