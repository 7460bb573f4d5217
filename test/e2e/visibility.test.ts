import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { openTestServer } from '../support/app.ts'
import { closeBrowser, openPage } from '../support/browser.ts'
import { until } from '../support/folder.ts'
import { startModelServer } from '../support/model-server.ts'
import { redactionPlaceholder } from '../../src/shared/markdown/visibility.ts'

afterAll(closeBrowser)

const health = '# Health\n\nThe doctor found a shadow on the left lung in March.\n'

describe('private notes', () => {
  it('makes notes and folders private with undo; an open chat does not see them', async () => {
    const remote = await startModelServer({ text: 'Ferries leave at ten.' })
    const config = `providers:
  anthropic: { baseUrl: "${remote.url}", reach: remote }
agents:
  defaults: { model: anthropic/claude-test, memory: { embedding: { provider: none } } }
  list: [{ id: main, workspace: "{{workspace}}" }]
`
    const server = await openTestServer({
      files: {
        'health.md': health,
        'vault/code.md': 'The alarm code is 77 31 09 44.\n',
        'MEMORY.md':
          '# Long-term memory\n\n## Money ^[local]\n\n- The salary is 84,300 a year.\n\n## Places\n\n- Ferries leave at ten.\n',
      },
      config,
      env: { ANTHROPIC_API_KEY: 'sk-test-key' },
    })
    const read = (path: string) => readFile(join(server.workspace, path), 'utf8')
    const page = await openPage()
    await page.goto(server.url)
    await page.getByRole('link', { name: /^Notes/ }).click()
    const row = (name: string) => page.locator('.group\\/row', { hasText: name }).first()
    const makePrivate = async () => {
      await row('health').hover()
      await page
        .getByRole('button', { name: 'Actions for health.md' })
        .or(page.getByRole('button', { name: /health\.md$/ }).last())
        .first()
        .click()
      await page.getByRole('menuitem', { name: 'Make private' }).click()
    }
    await makePrivate()
    await until(async () => (await read('health.md')) === `---\nvisibility: private\n---\n\n${health}`)
    await row('health').getByTestId('private').waitFor()
    await page.locator('[data-sonner-toast]').getByRole('button', { name: 'Undo' }).click()
    await until(async () => (await read('health.md')) === health)
    await makePrivate()
    await until(async () => (await read('health.md')).startsWith('---\nvisibility: private'))

    await row('vault').hover()
    await page
      .getByRole('button', { name: /vault$/ })
      .last()
      .click()
    await page.getByRole('menuitem', { name: 'Make private' }).click()
    await until(async () => (await readFile(join(server.home, 'config.yaml'), 'utf8')).includes('vault/'))

    await page.getByRole('link', { name: 'New chat' }).click()
    await page.getByRole('textbox', { name: 'Message' }).fill('When do ferries leave?')
    await page.keyboard.press('Enter')
    await page.getByText('Ferries leave at ten.').last().waitFor()
    const sent = remote.requests.map(({ text }) => text).join('')
    expect(sent).toContain(redactionPlaceholder)
    expect(sent).not.toMatch(/84,300|shadow on the left|77 31/)
  }, 120_000)
})

describe('source marks', () => {
  it('shows the source of a line as a small label; untrusted lines wait in the inbox', async () => {
    const model = await startModelServer({ text: 'ok' })
    const steps = [
      { calls: [{ name: 'read', arguments: { path: 'ferry.md' } }] },
      {
        calls: [{ name: 'write', arguments: { path: 'MEMORY.md', content: '- Ferries leave at nine', append: true } }],
      },
      { text: 'It waits in your inbox.' },
    ]
    model.respond = () => steps.shift() ?? { text: 'ok' }
    const server = await openTestServer({
      files: {
        'ferry.md':
          '# Ferry\n\n- It leaves at nine. ^[web: news.example, 2026-11-22]\n- Mine alone. ^[local]\n- Plain.\n',
      },
      config: `providers:
  anthropic: { baseUrl: "${model.url}" }
agents:
  defaults: { model: anthropic/claude-test, memory: { embedding: { provider: none } } }
  list: [{ id: main, workspace: "{{workspace}}" }]
`,
      env: { ANTHROPIC_API_KEY: 'sk-test-key' },
    })
    const page = await openPage()
    await page.goto(server.url)
    await page.getByRole('link', { name: /^Notes/ }).click()
    await page.locator('.group\\/row', { hasText: 'ferry' }).first().click()
    await page
      .getByRole('button', { name: 'Preview' })
      .or(page.getByRole('radio', { name: 'Preview' }))
      .first()
      .click()
    const mark = page.getByTestId('line-mark')
    await mark.first().waitFor()
    expect(await mark.allInnerTexts()).toEqual(['web: news.example, 2026-11-22', 'private'])
    expect(await mark.first().getAttribute('title')).toBe('Source: web: news.example, 2026-11-22')
    await page.goto(server.url)
    await page.getByRole('textbox').last().fill('What does the note say?')
    await page.keyboard.press('Enter')
    await page.getByText('It waits in your inbox.').last().waitFor()
    await page.getByRole('link', { name: /^Suggestions/ }).click()
    await page.getByText('External source').first().waitFor()
    expect(await readFile(join(server.workspace, 'MEMORY.md'), 'utf8')).not.toContain('nine')
  }, 120_000)
})
