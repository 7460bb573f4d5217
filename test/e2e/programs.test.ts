import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openTestPage } from '../support/test-page.ts'
import { connect } from '../support/client.ts'
import { temporaryFolder } from '../support/folder.ts'
import { connectClient, textOf } from '../support/mcp-clients.ts'

describe('connected programs', () => {
  it('connects and disconnects one; another asks with a token and appears by name', async () => {
    const home = await temporaryFolder()
    const config = join(home, '.codex/config.toml')
    await mkdir(join(home, '.codex'))
    await writeFile(config, '# mine\nmodel = "o3"\n')
    const { page, ...server } = await openTestPage(
      { env: { HOME: home, PATH: process.env['PATH'] } },
      { permissions: ['clipboard-write'] },
    )
    await page.getByRole('link', { name: 'Settings' }).click()
    await page.getByRole('navigation', { name: 'Sections' }).getByRole('link', { name: 'Programs' }).click()
    const codex = page.getByRole('region', { name: 'Codex' })
    await codex.getByRole('button', { name: 'Connect…' }).click()
    await codex.getByText('[mcp_servers.commonplace]').waitFor()
    expect(await readFile(config, 'utf8')).toBe('# mine\nmodel = "o3"\n')
    await codex.getByRole('button', { name: 'Write', exact: true }).click()
    await codex.getByText('Connected: 4 tools').waitFor({ timeout: 30_000 })
    expect(await readFile(config, 'utf8')).toMatch(/^# mine\nmodel = "o3"\n\n\[mcp_servers\.commonplace\]\ncommand = /)
    await codex.getByRole('button', { name: 'Disconnect' }).click()
    await codex.getByText('Not connected').waitFor()
    expect(await readFile(config, 'utf8')).toBe('# mine\nmodel = "o3"\n')

    await page.getByRole('textbox', { name: 'Over HTTP' }).fill('My agent')
    await page.getByRole('button', { name: 'Create token' }).click()
    const shown = await page.getByRole('status').locator('pre').innerText()
    const [url = '', token = ''] = shown.split('\nAuthorization: Bearer ')
    const row = page.getByRole('region', { name: 'My agent' })
    await row.getByRole('combobox', { name: 'Permission' }).selectOption({ label: 'Write after approval' })
    const app = await connect(server.url)
    const { call } = await connectClient('v2', { url, token })
    const asked = call('remember', { text: 'The office is closed on Friday' })
    const card = page.getByTestId('client-question')
    await card.getByText('The office is closed on Friday').waitFor()
    await card.getByRole('button', { name: 'Allow once' }).click()
    expect(textOf(await asked)).toMatch(/^saved memory\//)
    await card.waitFor({ state: 'detached' })
    await page.getByText('My agent added a note').waitFor()
    await row.getByText('1 note').waitFor()
    await row.getByText('Today: notes 1 of 200 · characters 30 of 500,000 · calls 1').click()
    const notesPerDay = row.getByRole('spinbutton', { name: 'Notes per day' })
    await notesPerDay.fill('10000001')
    await notesPerDay.press('Enter')
    expect(await notesPerDay.evaluate((field) => (field as HTMLInputElement).validationMessage)).toContain('10000000')
    await notesPerDay.fill('1')
    await notesPerDay.press('Enter')
    await row.getByText('notes 1 of 1').waitFor()
    expect(textOf(await call('remember', { text: 'The office opens on Monday' }))).toMatch(
      /^My agent may save 1 notes and 500000 characters a day/,
    )

    await page.getByRole('link', { name: 'Notes' }).first().click()
    await page.getByRole('link', { name: 'Changes' }).first().click()
    await page
      .getByRole('button', { name: 'other programs' })
      .or(page.getByRole('radio', { name: 'other programs' }))
      .click()
    await page.getByText('My agent', { exact: true }).waitFor()
    await page.goBack()
    await page.goBack()
    await row.getByRole('button', { name: 'Revoke token' }).click()
    await row.waitFor({ state: 'detached' })
    expect((await app.clients.list()).map(({ name }) => name)).not.toContain('My agent')
  }, 90_000)
})
