import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openTestServer, untouchedConfig } from '../support/app.ts'
import { findings } from '../support/axe.ts'
import { focusForKeys, openPage, visit } from '../support/browser.ts'
import { temporaryFolder } from '../support/folder.ts'
import { startModelServer, type ModelServer } from '../support/model-server.ts'

/** Clicks of the user that lead from the start to a model in use; typing is not counted. */
const maxClicks = 6
const models = [{ id: 'nomic-embed-text' }, { id: 'qwen3:1.7b' }, { id: 'qwen3:8b' }, { id: 'qwen2.5-coder:14b' }]

/** Opens a page that counts the clicks of the user. */
async function openCountedPage(options: Parameters<typeof openPage>[0] = {}) {
  const page = await openPage(options)
  await page.addInitScript(() => {
    addEventListener(
      'pointerdown',
      () => sessionStorage.setItem('clicks', String(Number(sessionStorage.getItem('clicks')) + 1)),
      { capture: true },
    )
  })
  return { page, countClicks: () => page.evaluate(() => Number(sessionStorage.getItem('clicks'))) }
}

async function type(page: Page, field: string, text: string) {
  await page.getByRole('textbox', { name: field }).click()
  await page.keyboard.type(text)
}

async function expectAnswer(page: Page) {
  const composer = page.getByRole('textbox', { name: 'Message' })
  await composer.fill('hello')
  await composer.press('Enter')
  await page.getByTestId('answer').getByText('Hello from the model.').waitFor()
}

/** Settings of Ollama for a server of another port. */
const runningAt = ({ url }: ModelServer) => ({ OLLAMA_HOST: new URL(url).host })

describe('the first start', () => {
  it('finds a server of this machine and ends with its best chat model in use', async () => {
    const model = await startModelServer({ text: 'Hello from the model.' })
    model.models = models
    const server = await openTestServer({ config: '', env: runningAt(model) })
    const { page, countClicks } = await openCountedPage()
    await page.goto(server.url)
    const folder = join(await temporaryFolder(), 'm')
    await page.getByRole('textbox', { name: 'Folder for the memory' }).fill(folder)
    const start = page.getByRole('button', { name: 'Start' })
    await focusForKeys(page.getByRole('radio', { name: 'Anthropic' }))
    await page.keyboard.press('Enter')
    await page.getByText('Connect a provider first, or choose “No model”.').waitFor()
    expect(await start.isDisabled()).toBe(true)
    expect(await findings(page)).toEqual([])
    await page.getByText('Ollama is running on this computer.').waitFor()
    await page.getByRole('button', { name: 'Use qwen3:8b' }).click()
    await page.getByText('You are now using qwen3:8b.').waitFor()
    expect(await page.getByRole('option', { name: 'nomic-embed-text' }).count()).toBe(0)
    await start.click()
    await expectAnswer(page)
    expect(await countClicks()).toBe(2)
    expect(model.requests.at(-1)?.body['model']).toBe('qwen3:8b')
  }, 60_000)
})

describe('the settings', () => {
  it('end with the model in use, and say so', async () => {
    const model = await startModelServer({ text: 'Hello from the model.' })
    model.models = [{ id: 'claude-haiku-4-5' }, { id: 'claude-sonnet-4-5' }]
    model.key = 'sk-right-0123456789'
    const config = `${untouchedConfig}providers: { anthropic: { baseUrl: "${model.url}" } }\n`
    const server = await openTestServer({ config })
    const { page, countClicks } = await openCountedPage()
    await page.goto(server.url)
    await page.getByRole('link', { name: 'Settings' }).click()
    await page.getByRole('navigation', { name: 'Sections' }).getByRole('link', { name: 'Models' }).click()
    await page.getByText('Answers with quotes from your notes.', { exact: false }).waitFor()
    await page.getByRole('radio', { name: 'Anthropic' }).click()
    await type(page, 'API key', model.key)
    await page.getByRole('button', { name: 'Connect' }).click()
    await page.getByText('Connected: 2 chat models available.').waitFor()
    await page.getByRole('button', { name: 'Use this model' }).click()
    await page.getByText('You are now using claude-sonnet-4-5.').waitFor()
    expect(await countClicks()).toBeLessThanOrEqual(maxClicks)
    expect(await page.content()).not.toContain(model.key)
    expect(await readFile(join(server.home, 'config.yaml'), 'utf8')).toContain('anthropic/claude-sonnet-4-5')
    // An answer that comes after another provider was chosen changes nothing.
    model.listDelayMs = 500
    await page.getByRole('button', { name: 'Connect' }).click()
    await page.getByRole('radio', { name: 'OpenAI', exact: true }).click()
    await page.waitForTimeout(1000)
    expect(await page.getByRole('radio', { name: 'OpenAI', exact: true }).getAttribute('aria-checked')).toBe('true')
    await page.getByRole('radio', { name: 'Anthropic' }).click()
    await page.getByRole('button', { name: 'Connect' }).click()
    await page.getByRole('link', { name: 'New chat' }).first().click()
    await expectAnswer(page)
    await visit(page, '/settings#models')
    await page.getByRole('radio', { name: 'No model' }).click()
    await page.getByRole('button', { name: 'Answer without a model' }).click()
    await page.getByRole('button', { name: 'Offline: no language model' }).first().waitFor()
    expect(await readFile(join(server.home, 'config.yaml'), 'utf8')).toContain('model: offline')
  }, 60_000)

  it('name what to do if a connection fails', async () => {
    const model = await startModelServer({ text: 'Hello from the model.' })
    model.models = [{ id: 'nomic-embed-text' }]
    model.key = 'sk-right-0123456789'
    const config = `${untouchedConfig}providers: { anthropic: { baseUrl: "${model.url}" } }\n`
    const server = await openTestServer({ config })
    const { page } = await openCountedPage()
    await page.goto(server.url)
    await page.getByRole('textbox', { name: 'Message' }).waitFor()
    await visit(page, '/settings#models')
    const alert = page.getByRole('alert')
    const connect = page.getByRole('button', { name: 'Connect' })
    await page.getByRole('radio', { name: 'Anthropic' }).click()
    await connect.click()
    await alert.getByText('environment variable ANTHROPIC_API_KEY', { exact: false }).waitFor()
    await type(page, 'API key', 'sk-wrong-0123456789')
    await page.keyboard.press('Enter')
    await alert.getByText('Anthropic rejected the API key.', { exact: false }).waitFor()
    await page.getByRole('radio', { name: 'Local or other server' }).click()
    await alert.waitFor({ state: 'detached' })
    await connect.click()
    await alert.getByText('environment variable OPENAI_COMPATIBLE_BASE_URL', { exact: false }).waitFor()
    const address = page.getByRole('textbox', { name: 'Base URL' })
    await address.fill('localhost:9')
    await connect.click()
    await alert.getByText('No model server answers at localhost:9. Is the server running?').waitFor()
    const other = createServer((_, response) => response.writeHead(404).end('page not found')).listen(0, '127.0.0.1')
    onTestFinished(() => void other.close())
    await once(other, 'listening')
    await address.fill(`127.0.0.1:${(other.address() as AddressInfo).port}`)
    await connect.click()
    await alert.getByText('The server did not list its models: page not found. Check the address').waitFor()
    await address.fill(model.openAiUrl)
    await page.getByRole('textbox', { name: 'API key' }).fill(model.key)
    await connect.click()
    await page.getByText('No chat models found.', { exact: false }).waitFor()
    expect(await page.getByRole('button', { name: 'Use this model' }).count()).toBe(0)
  }, 60_000)
})
