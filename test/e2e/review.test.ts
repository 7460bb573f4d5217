import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { openTestServer } from '../support/app.ts'
import { closeBrowser, openPage } from '../support/browser.ts'
import { until } from '../support/folder.ts'
import { makeMemory } from '../support/made-memory.ts'
import { startModelServer } from '../support/model-server.ts'
import { contentOf, reviewAnswer } from '../support/scripted-reviewer.ts'

afterAll(closeBrowser)

describe('review in the inbox', () => {
  it('shows estimate, results, a combined diff and undo', async () => {
    const memory = makeMemory(61, 400)
    const [quote = ''] = /(?<=- )[A-Z].* runs .*/.exec(memory.files['memory/2026-06-05.md'] ?? '') ?? []
    const promote = quote === '' ? [] : [{ quote, section: 'Part 1', text: `Kept: ${quote}` }]
    const models = await startModelServer()
    models.respond = (body) => ({ text: reviewAnswer(contentOf(body), { ...memory, promote }) })
    const config = `providers: { anthropic: { baseUrl: "${models.url}" } }
agents:
  defaults: { memory: { embedding: { provider: none } }, upkeep: { schedule: "monday 09:00" } }
  list: [{ id: main, workspace: "{{workspace}}", model: anthropic/claude-haiku-4-5 }]
`
    const env = { ANTHROPIC_API_KEY: 'sk-test-anthropic' }
    const server = await openTestServer({
      files: memory.files,
      config,
      env,
      now: () => new Date('2026-11-22T12:00:00'),
    })
    const page = await openPage()
    await page.goto(server.url)
    await page.getByRole('link', { name: 'Suggestions' }).click()
    const inbox = page.getByTestId('inbox')
    await inbox.getByRole('button', { name: 'Ask the model' }).click()
    await page.getByTestId('estimate').waitFor()
    expect(models.requests).toHaveLength(0)
    expect(await page.getByTestId('estimate').innerText()).toMatch(/about \$0\.\d+/)
    await page.getByRole('button', { name: 'Start' }).click()
    await inbox.getByTestId('proposal').first().waitFor()
    const note = inbox.getByTestId('review-note')
    await note.getByText('Reviewed').waitFor({ timeout: 30_000 })

    const view = inbox.getByTestId('proposal-view')
    const struck = view.locator('figure')
    await until(async () => (await struck.count()) > 0)
    const before = await struck.innerText()
    await page.keyboard.press('t')
    await until(async () => (await struck.innerText()) !== before)
    await view.getByRole('button', { name: 'Exact request' }).click()
    await page.getByTestId('wire').waitFor()
    expect(await page.getByRole('dialog').innerText()).not.toContain('sk-test')
    await page.keyboard.press('Escape')

    await note.getByRole('button', { name: /as one change/ }).click()
    await inbox.getByTestId('chosen-view').locator('figure').first().waitFor()
    await inbox
      .getByTestId('chosen-view')
      .getByRole('button', { name: /^Accept/ })
      .click()
    await page.getByText(/\d+ accepted\./).waitFor()
    await page.locator('[data-sonner-toast]', { hasText: 'accepted.' }).getByRole('button', { name: 'Undo' }).click()
    await until(async () => {
      const texts = Object.keys(memory.files).map((path) => readFile(join(server.workspace, path), 'utf8'))
      return (await Promise.all(texts)).join('') === Object.values(memory.files).join('')
    })
  }, 120_000)
})
