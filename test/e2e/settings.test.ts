import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parse } from 'yaml'
import { describe, expect, it } from 'vitest'
import { focusForKeys, visit } from '../support/browser.ts'
import { openTestPage } from '../support/test-page.ts'
import { connect } from '../support/client.ts'
import { temporaryFolder, until } from '../support/folder.ts'
import { startModelServer } from '../support/model-server.ts'

describe('embedding consent', () => {
  it('shows how much text a provider would get, and sends it after consent', async () => {
    const models = await startModelServer()
    const files = Object.fromEntries(
      ['harbour', 'garden', 'budget', 'violin'].map((topic) => [
        `memory/${topic}.md`,
        `# ${topic}\n\nOur ${topic} lacks a lamp.\n`,
      ]),
    )
    const { page, ...server } = await openTestPage({ files })
    await page.getByRole('link', { name: 'Settings' }).click()
    await page.getByRole('navigation', { name: 'Sections' }).getByRole('link', { name: 'Memory' }).click()
    await page.getByText('Advanced', { exact: true }).click()
    const client = await connect(server.url)
    const { texts } = (await client.search.embeddingCost({ agent: 'main' })).all
    expect(texts).toBeGreaterThanOrEqual(4)
    const address = page.getByRole('textbox', { name: 'Semantic search server' })
    await address.fill(models.openAiUrl)
    await address.press('Enter')
    const provider = page.getByRole('combobox', { name: 'Semantic search' })
    await provider.selectOption('openai-compatible')
    const dialog = page.getByRole('dialog')
    const of = { provider: 'openai-compatible', model: 'nomic-embed-text' } as const
    const { unsent } = await client.search.embeddingCost({ agent: 'main', of })
    expect(unsent.texts).toBe(texts)
    await dialog.getByText(`${texts} texts will be sent`, { exact: false }).waitFor()
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await dialog.waitFor({ state: 'detached' })
    expect(await provider.inputValue()).toBe('none')
    expect(models.requests).toEqual([])
    await provider.selectOption('openai-compatible')
    await dialog.getByRole('button', { name: 'Send' }).click()
    await until(async () => (await client.search.embeddingCost({ agent: 'main' })).unsent.texts === 0, 20_000)
    // The consent also appears when the agent returns to the shared setting, and for a server without an
    // address.
    await provider.selectOption('none')
    const row = page.getByTestId('setting').filter({ has: provider })
    await client.agents.create({ name: 'Work', workspace: join(await temporaryFolder(), 'work'), locale: 'en' })
    await page.getByRole('radio', { name: 'All agents' }).click()
    await provider.selectOption('openai-compatible')
    await dialog.getByText('The address of the server is missing', { exact: false }).waitFor()
    expect(await dialog.getByRole('button', { name: 'Send' }).count()).toBe(0)
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await provider.selectOption('openai')
    await dialog.getByRole('button', { name: 'Send' }).click()
    await until(async () => (await provider.inputValue()) === 'openai')
    await page.getByRole('radio', { name: 'Only Commonplace' }).click()
    await until(async () => (await provider.inputValue()) === 'none')
    await row.getByTestId('reset').click()
    await dialog.getByText('text-embedding-3-small', { exact: false }).waitFor()
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    expect(await provider.inputValue()).toBe('none')
  })
})

describe('what left this machine', () => {
  it('lists 10,000 requests, filters them by purpose and receiver, and says if there are none', async () => {
    const { page, ...server } = await openTestPage({}, { viewport: { width: 360, height: 760 } })
    await page.getByRole('textbox', { name: 'Message' }).waitFor()
    await visit(page, '/settings#privacy')
    await page.getByText('No requests to other machines are recorded').waitFor()
    const line = (at: number) => ({
      id: String(at),
      at: new Date(2026, 0, 1, 0, 0, at).toISOString(),
      purpose: at % 2 ? 'chat' : 'embedding',
      host: `https://${at % 3}.example.org`,
      characters: at,
      outcome: 200,
    })
    const lines = Array.from({ length: 10_001 }, (_, at) => `${JSON.stringify(line(at))}\n`)
    await writeFile(join(server.home, 'outbound.jsonl'), lines.join(''))
    await visit(page, '/settings#about')
    await visit(page, '/settings#privacy')
    const rows = page.getByTestId('outbound')
    await page.getByText('10,000 requests').waitFor()
    await page.getByText('The 10,000 newest of 10,001 requests.', { exact: false }).waitFor()
    expect(await rows.first().innerText()).toMatch(/Embeddings\s+https:\/\/1\.example\.org[^]+10,000 characters\s+200/)
    expect(await rows.count()).toBeLessThan(60)
    await page.getByRole('combobox', { name: 'Purpose' }).selectOption('Chat')
    await page.getByText('5,000 requests').waitFor()
    await page.getByRole('combobox', { name: 'Receiver' }).selectOption('https://2.example.org')
    await page.getByText('1,666 requests').waitFor()
    expect(await rows.first().innerText()).toMatch(/Chat\s+https:\/\/2\.example\.org[^]+9,995 characters/)
    await page.getByRole('list', { name: 'What left this machine' }).locator('..').press('End')
    await page.getByText('5 characters', { exact: true }).waitFor()
  })
})

describe('several agents', () => {
  it('creates a second agent with its own memory and restores each one’s last view', async () => {
    const { page, say, ...server } = await openTestPage({
      files: { 'memory/safe.md': 'The combination of the safe is 9-31-44.\n' },
    })
    const ask = async (question: string) => {
      await say(question)
      await page.getByTestId('answer').first().waitFor()
      await page.getByRole('button', { name: 'Stop' }).waitFor({ state: 'detached' })
      return page.getByTestId('answer').first().innerText()
    }
    expect(await ask('What is the combination of the safe?')).toContain('9-31-44')
    const chat = page.url()
    await page.getByRole('button', { name: 'Agent Commonplace' }).click()
    await page.getByRole('menuitem', { name: 'New agent' }).click()
    await page.getByRole('textbox', { name: 'Name' }).fill('Work')
    await page.getByRole('textbox', { name: 'Folder' }).fill(server.workspace)
    await page.getByRole('button', { name: 'Create' }).click()
    await page.getByRole('alert').getByText('already belongs to Commonplace', { exact: false }).waitFor()
    await page.getByRole('textbox', { name: 'Folder' }).fill(join(await temporaryFolder(), 'work'))
    await page.getByRole('button', { name: 'Create' }).click()
    await page.getByRole('button', { name: 'Agent Work' }).waitFor()
    expect(await ask('What is the combination of the safe?')).not.toContain('9-31-44')
    await page.getByRole('button', { name: 'Agent Work' }).click()
    await page.getByRole('menuitem', { name: 'Commonplace' }).click()
    await page.waitForURL(chat)
    await page.getByTestId('answer').getByText('9-31-44', { exact: false }).waitFor()

    await page.getByRole('link', { name: 'Settings' }).click()
    const card = page.getByTestId('agent').filter({ hasText: server.workspace })
    await card.getByRole('checkbox', { name: 'Work' }).click()
    const config = async () => parse(await readFile(join(server.home, 'config.yaml'), 'utf8')) as unknown
    await until(async () => JSON.stringify(await config()).includes('"shareWith":["work"]'))
    await page.getByRole('button', { name: 'Agent Commonplace' }).click()
    await page.getByRole('menuitem', { name: 'Work' }).click()
    await page.getByRole('link', { name: 'Search' }).click()
    await page.getByRole('combobox', { name: 'Search' }).fill('combination of the safe')
    await page.getByRole('option', { name: /@main\/memory\/safe\.md/ }).click()
    await page.getByText('Shared by Commonplace, read-only').waitFor()
    await page.getByText('9-31-44', { exact: false }).waitFor()
  }, 60_000)
})

describe('two windows', () => {
  it('syncs renames, archives, deletions and settings of another window', async () => {
    const { page, ...server } = await openTestPage()
    const client = await connect(server.url)
    const work = await client.agents.create({
      name: 'work',
      workspace: join(await temporaryFolder(), 'work'),
      locale: 'en',
    })
    const composer = page.getByRole('textbox', { name: 'Message' })
    const say = async (text: string) => {
      await composer.fill(text)
      await composer.press('Enter')
      await page.getByTestId('diff-card').first().waitFor()
      await page.getByRole('button', { name: 'Stop' }).waitFor({ state: 'detached' })
    }
    await page.getByRole('button', { name: 'Agent Commonplace' }).click()
    await page.getByRole('menuitem', { name: 'work' }).click()
    await say('Remember that the gate code is 4711')
    const chat = page.url()
    await client.agents.update({ agent: work.agent, name: 'Office' })
    await page.getByRole('link', { name: 'Notes' }).first().click()
    await page.getByRole('link', { name: 'Changes' }).first().click()
    await page.getByTestId('change').getByText('Office', { exact: true }).waitFor()
    await visit(page, chat)
    await page.getByTestId('diff-card').waitFor()
    await client.agents.update({ agent: work.agent, archived: true })
    await page.getByRole('heading', { name: 'New chat' }).waitFor()
    expect(new URL(page.url()).pathname).toBe('/')
    expect(await page.getByText('no longer exists').count()).toBe(0)
    await page.keyboard.press('Control+Shift+Space')
    await page.getByTestId('capture').waitFor()
    expect(await page.getByTestId('capture').getByRole('combobox', { name: 'Agent' }).count()).toBe(0)
    await page.keyboard.press('Escape')

    await say('Remember that the cellar code is 1234')
    const [summary] = await client.chats.list({ agent: 'main' })
    await client.chats.remove({ agent: 'main', session: summary?.id ?? '' })
    await page.getByText('This chat was deleted in another window').waitFor()
    expect(await composer.count()).toBe(0)
    await page.getByRole('button', { name: 'Restore' }).click()
    await page.getByTestId('diff-card').waitFor()

    await page.getByRole('link', { name: 'Settings' }).click()
    await page.getByRole('navigation', { name: 'Sections' }).getByRole('link', { name: 'Models' }).click()
    await page.getByRole('radio', { name: 'OpenAI', exact: true }).click()
    const address = page.getByRole('textbox', { name: 'Base URL' })
    await address.waitFor()
    await client.settings.setBaseUrl({ provider: 'openai', baseUrl: 'http://localhost:1/v1' })
    await until(async () => (await address.inputValue()) === 'http://localhost:1/v1')
  })
})

describe('settings', () => {
  it('are found, set and reset; the file keeps comments and shows errors by line', async () => {
    const { page, ...server } = await openTestPage({
      config:
        '# kept\nagents:\n  defaults:\n    chat: { titles: false } # not so many\n  list:\n    - { id: main, workspace: "{{workspace}}" }\n',
    })
    const text = () => readFile(join(server.home, 'config.yaml'), 'utf8')
    await page.getByRole('textbox', { name: 'Message' }).waitFor()
    await page.keyboard.press('Control+,')
    await page.getByRole('searchbox', { name: 'Search settings' }).fill('note counts half')
    const row = page.getByTestId('setting')
    await until(async () => (await row.count()) === 1)
    const field = row.getByRole('textbox', { name: 'Half-life of a note’s score (days)' })
    await field.fill('soon')
    await field.press('Enter')
    // A refused value stays in its field, with the reason beside it.
    const refusal = row.getByRole('alert')
    await refusal.getByText('recencyHalfLifeDays', { exact: false }).waitFor()
    expect(await field.inputValue()).toBe('soon')
    expect(await field.getAttribute('aria-describedby')).toBe(await refusal.getAttribute('id'))
    await field.fill('20')
    await field.press('Enter')
    await until(async () => (await text()).includes('recencyHalfLifeDays: 20'))
    expect(await text()).toContain('# not so many')
    await row.getByRole('button', { name: /^Reset/ }).click()
    await until(async () => !(await text()).includes('recencyHalfLifeDays: 20'))
    const sections = page.getByRole('navigation', { name: 'Sections' })
    await sections.getByRole('link', { name: 'About' }).click()
    await page.getByRole('link', { name: 'Open config.yaml' }).click()
    const editor = page.locator('.monaco-editor textarea, .monaco-editor [role=textbox]').first()
    await editor.waitFor({ state: 'attached' })
    await focusForKeys(editor)
    await page.keyboard.press('Control+End')
    await page.keyboard.type('spending:\n  monthlyLimit: much')
    await page.getByText(/^Line \d+: spending\.monthlyLimit/).waitFor()
    for (let letter = 0; letter < 'much'.length; letter += 1) await page.keyboard.press('Backspace')
    await page.keyboard.type('7')
    await page.getByText('Not saved').waitFor()
    // The file changes on disk meanwhile.
    await writeFile(join(server.home, 'config.yaml'), (await text()).replace('# kept', '# kept by me'))
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('Saved and merged with changes made elsewhere.').waitFor()
    expect(await text()).toContain('# kept by me')
    expect(parse(await text())).toMatchObject({ spending: { monthlyLimit: 7 } })
  }, 60_000)

  it('can be set for one agent, for all agents, or for the app, in every section', async () => {
    const { page, ...server } = await openTestPage({
      config:
        'agents:\n  list:\n    - { id: main, workspace: "{{workspace}}" }\n    - { id: work, workspace: "{{workspace}}-2" }\n',
    })
    const config = async () => parse(await readFile(join(server.home, 'config.yaml'), 'utf8')) as unknown
    await visit(page, '/settings#spending')
    await page.getByRole('heading', { name: 'Usage and spending' }).waitFor()
    const find = page.getByRole('searchbox', { name: 'Search settings' })
    const rows = page.getByTestId('setting')
    const keys = () => rows.evaluateAll((all) => all.map((row) => row.getAttribute('data-key')))
    // Finds settings of the app, by key, by the words of a value, and panels.
    for (const [query, key] of [
      ['theme', 'interface.theme'],
      ['recencyhalf', 'memory.search.recencyHalfLifeDays'],
      ['tray', 'desktop.closeTo'],
    ]) {
      await find.fill(query ?? '')
      await until(async () => (await keys()).join() === key)
    }
    for (const [query, panel] of [
      ['API key', 'Models'],
      ['Ctrl+B', 'Keyboard shortcuts'],
      ['backup', 'Import and export'],
    ] as const) {
      await find.fill(query)
      await page.getByRole('list', { name: 'Sections' }).getByRole('link', { name: panel }).waitFor()
    }
    await find.fill('no such thing')
    await page.getByText('No settings found.').waitFor()

    await find.fill('maxResults')
    await until(async () => (await keys()).join() === 'memory.search.maxResults')
    const row = rows.first()
    const field = row.getByRole('textbox', { name: 'Maximum number of results' })
    await page.getByRole('radio', { name: 'All agents' }).click()
    await field.fill('9')
    await field.press('Enter')
    await until(async () =>
      JSON.stringify(await config()).includes('"defaults":{"memory":{"search":{"maxResults":9}}}'),
    )
    await page.getByRole('radio', { name: 'Only Commonplace' }).click()
    await row.getByText('Set for all agents').waitFor()
    expect(await field.inputValue()).toBe('9')
    await field.fill('4')
    await field.press('Enter')
    await until(async () => JSON.stringify(await config()).includes('"memory":{"search":{"maxResults":4}}}'))
    await page.getByRole('radio', { name: 'All agents' }).click()
    await until(async () => (await field.inputValue()) === '9')

    // Text is not saved while an input method composes it.
    await find.fill('pasted files')
    const folder = page.getByRole('textbox', { name: 'Folder for pasted files' })
    await folder.fill('ni')
    const composing = { key: 'Enter', isComposing: true, bubbles: true }
    await folder.evaluate((element, init) => element.dispatchEvent(new KeyboardEvent('keydown', init)), composing)
    await (await connect(server.url)).settings.set({ path: ['interface', 'theme'], value: 'dark' })
    await page.locator('html[data-theme=dark]').waitFor()
    expect(JSON.stringify(await config())).not.toContain('attachments')
    await folder.press('Enter')
    await until(async () => JSON.stringify(await config()).includes('"attachments":"ni"'))
  }, 60_000)

  it('show their keys on hover, fold the rarer ones, and change a command’s shortcut', async () => {
    const { page, ...server } = await openTestPage({}, {}, '/settings')
    const theme = page.locator('[data-key="interface.theme"]')
    const opacity = () => theme.locator('span[aria-hidden]').evaluate((key) => getComputedStyle(key).opacity)
    await theme.waitFor()
    expect(await opacity()).toBe('0')
    await theme.hover()
    await until(async () => (await opacity()) === '1')
    await page.locator('main').getByRole('searchbox').hover()
    await until(async () => (await opacity()) === '0')
    await theme.getByRole('combobox').focus()
    await until(async () => (await opacity()) === '1')
    expect(await page.getByRole('radio', { name: 'All agents' }).count()).toBe(0)

    await visit(page, '/settings#memory')
    const results = page.getByRole('textbox', { name: 'Maximum number of results' })
    await page.getByText('Advanced', { exact: true }).click()
    await results.waitFor()
    await page.getByText('Advanced', { exact: true }).click()
    await results.waitFor({ state: 'detached' })
    await visit(page, '/settings#memory.search.maxResults')
    await page.locator('[data-key="memory.search.maxResults"] input:focus').waitFor()

    await visit(page, '/settings#shortcuts')
    const row = page.getByTestId('shortcut').filter({ hasText: 'Command palette' })
    await row.getByRole('button', { name: 'Change Ctrl+K' }).click()
    await page.keyboard.press('Control+Shift+Y')
    await row.getByRole('button', { name: 'Change Ctrl+Shift+Y' }).waitFor()
    const other = page.getByTestId('shortcut').filter({ hasText: 'Stop answer' })
    await other.getByRole('button', { name: /^Change/ }).click()
    await page.keyboard.press('Control+Shift+Y')
    await page.getByText('Ctrl+Shift+Y is already used for “Command palette”.').waitFor()
    expect(await page.getByRole('button', { name: 'Change Ctrl+Shift+Y' }).count()).toBe(1)
    await page.getByRole('heading', { name: 'Keyboard shortcuts' }).click()
    await page.keyboard.press('Control+k')
    await page.keyboard.press('Control+Shift+Y')
    await page.getByRole('dialog').getByRole('combobox').waitFor()
    await page.keyboard.press('Escape')
    await (await connect(server.url)).settings.set({ path: ['interface', 'locale'], value: 'zh-CN' })
    await page.locator('html[lang=zh-CN]').waitFor()
    const found = page.locator('main [data-testid=setting], main ul a')
    for (const word of ['备份', '深色', 'privacy']) {
      await page.locator('main').getByRole('searchbox').fill(word)
      await until(async () => [1, 2, 3, 4, 5, 6].includes(await found.count()))
    }
  })
})
