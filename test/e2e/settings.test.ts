import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parse } from 'yaml'
import { afterAll, describe, expect, it } from 'vitest'
import { openTestServer } from '../support/app.ts'
import { closeBrowser, keepScreenshot, openPage } from '../support/browser.ts'
import { connect } from '../support/client.ts'
import { temporaryFolder, until } from '../support/folder.ts'

afterAll(closeBrowser)

describe('M38 several agents', () => {
  it('M38: a second agent is made, knows nothing of the first, and each is found again where it was left', async () => {
    const server = await openTestServer({ files: { 'memory/safe.md': 'The combination of the safe is 9-31-44.\n' } })
    const page = await openPage()
    await page.goto(server.url)
    const composer = page.getByRole('textbox', { name: 'Message' })
    const ask = async (question: string) => {
      await composer.fill(question)
      await composer.press('Enter')
      await page.getByTestId('answer').first().waitFor()
      await page.getByRole('button', { name: 'Stop' }).waitFor({ state: 'detached' })
      return page.getByTestId('answer').first().innerText()
    }
    expect(await ask('What is the combination of the safe?')).toContain('9-31-44')
    const chat = page.url()
    await page.getByRole('button', { name: 'Agent main' }).click()
    await page.getByRole('menuitem', { name: 'New agent' }).click()
    await page.getByRole('textbox', { name: 'Name' }).fill('Work')
    await page.getByRole('textbox', { name: 'Folder' }).fill(server.workspace)
    await page.getByRole('button', { name: 'Create' }).click()
    await page.getByRole('alert').getByText('belongs to main already', { exact: false }).waitFor()
    await page.getByRole('textbox', { name: 'Folder' }).fill(join(await temporaryFolder(), 'work'))
    await page.getByRole('button', { name: 'Create' }).click()
    await page.getByRole('button', { name: 'Agent Work' }).waitFor()
    expect(await ask('What is the combination of the safe?')).not.toContain('9-31-44')
    await page.getByRole('button', { name: 'Agent Work' }).click()
    await page.getByRole('menuitem', { name: 'main' }).click()
    await page.waitForURL(chat)
    await page.getByTestId('answer').getByText('9-31-44', { exact: false }).waitFor()

    await page.getByRole('link', { name: 'Settings' }).click()
    const card = page.getByTestId('agent').filter({ hasText: server.workspace })
    await card.getByRole('checkbox', { name: 'Work' }).click()
    const config = async () => parse(await readFile(join(server.home, 'config.yaml'), 'utf8')) as unknown
    await until(async () => JSON.stringify(await config()).includes('"shareWith":["work"]'))
    await keepScreenshot(page, 'settings-1-agents')
    const client = await connect(server.url)
    await until(async () => {
      const { results } = await client.search.query({ agent: 'work', query: 'combination of the safe' })
      return results.some(({ path }) => path === '@main/memory/safe.md')
    })
    await page.getByRole('button', { name: 'Agent main' }).click()
    await page.getByRole('menuitem', { name: 'Work' }).click()
    await page.getByRole('link', { name: 'Search memory' }).click()
    await page.getByRole('textbox', { name: 'Search memory' }).fill('combination of the safe')
    await page.getByRole('link', { name: /@main\/memory\/safe\.md/ }).click()
    await page.getByText('shared by main, read-only').waitFor()
    await page.getByText('9-31-44', { exact: false }).waitFor()
  }, 60_000)
})

describe('M50 settings', () => {
  it('M50: found by words, set, reset; the file keeps its comments and shows mistakes with their line', async () => {
    const server = await openTestServer({
      config:
        '# kept\nagents:\n  defaults:\n    chat: { maxSteps: 30 } # not so many\n  list:\n    - { id: main, workspace: "{{workspace}}" }\n',
    })
    const text = () => readFile(join(server.home, 'config.yaml'), 'utf8')
    const page = await openPage()
    await page.goto(server.url)
    await page.getByRole('textbox', { name: 'Message' }).waitFor()
    await page.keyboard.press('Control+,')
    await page.getByRole('searchbox', { name: 'Find a setting' }).fill('least score')
    const row = page.getByTestId('setting')
    await until(async () => (await row.count()) === 1)
    const field = row.getByRole('textbox', { name: 'Least score of a result' })
    await field.fill('7')
    await field.press('Enter')
    await page.locator('[data-sonner-toast]').getByText('minScore', { exact: false }).waitFor()
    await field.fill('0.2')
    await field.press('Enter')
    await until(async () => (await text()).includes('minScore: 0.2'))
    expect(await text()).toContain('# not so many')
    await row.getByRole('button', { name: /^Back to the inherited value/ }).click()
    await until(async () => !(await text()).includes('minScore: 0.2'))
    await page.getByRole('searchbox', { name: 'Find a setting' }).fill('')
    await page.getByTestId('location').first().waitFor()
    await page.getByRole('heading', { name: 'All settings' }).scrollIntoViewIfNeeded()
    await keepScreenshot(page, 'settings-2-all')

    await page.getByRole('radio', { name: 'config.yaml' }).click()
    const editor = page.locator('.monaco-editor textarea, .monaco-editor [role=textbox]').first()
    await editor.waitFor({ state: 'attached' })
    await editor.focus()
    await page.keyboard.press('Control+End')
    await page.keyboard.type('spendin')
    await page.locator('.suggest-widget').getByText('spending').first().waitFor()
    await keepScreenshot(page, 'settings-3-file')
    await page.keyboard.press('Escape')
    await page.keyboard.type('g:\n  monthlyLimit: much')
    await page.getByText(/^Line \d+: spending\.monthlyLimit/).waitFor()
    for (let letter = 0; letter < 'much'.length; letter += 1) await page.keyboard.press('Backspace')
    await page.keyboard.type('7')
    await page.getByText('Not saved yet').waitFor()
    // Somebody else edits the file meanwhile.
    await writeFile(join(server.home, 'config.yaml'), (await text()).replace('# kept', '# kept by me'))
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('Saved, together with what was changed elsewhere.').waitFor()
    expect(await text()).toContain('# kept by me')
    expect(parse(await text())).toMatchObject({ spending: { monthlyLimit: 7 } })
  }, 60_000)

  it('M50: a command is given other keys', async () => {
    const server = await openTestServer()
    const page = await openPage()
    await page.goto(server.url)
    await page.getByRole('link', { name: 'Settings' }).click()
    const row = page.getByTestId('shortcut').filter({ hasText: 'Command palette' })
    await row.getByRole('button', { name: 'Change Ctrl+K' }).click()
    await page.keyboard.press('Control+Shift+Y')
    await row.getByRole('button', { name: 'Change Ctrl+Shift+Y' }).waitFor()
    await page.getByRole('heading', { name: 'Keys' }).click()
    await page.keyboard.press('Control+k')
    await page.keyboard.press('Control+Shift+Y')
    await page.getByRole('dialog').getByRole('combobox').waitFor()
  })
})
