import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { openTestServer } from '../support/app.ts'
import { closeBrowser, keepScreenshot, openPage } from '../support/browser.ts'
import { temporaryFolder, until } from '../support/folder.ts'
import { startModelServer } from '../support/model-server.ts'

afterAll(closeBrowser)

describe('M47 first start', () => {
  it('M47: from the first start to the first remembered fact in three steps, hints once, no key', async () => {
    const server = await openTestServer({ config: '' })
    const workspace = join(await temporaryFolder(), 'memory of mine')
    const page = await openPage()
    await page.goto(server.url)
    await page.getByRole('textbox', { name: 'Folder for the memory' }).fill(workspace)
    await keepScreenshot(page, 'first-run-1')
    await page.getByRole('button', { name: 'Start' }).click()
    const composer = page.getByRole('textbox', { name: 'Message' })
    await composer.fill('Remember that 我的自行车是红色的')
    await composer.press('Enter')
    await page.getByTestId('diff-card').waitFor()
    await until(
      async () =>
        (await readFile(join(workspace, 'MEMORY.md'), 'utf8')).includes('红色') ||
        (await logs(workspace)).includes('红色'),
    )
    const tour = page.getByRole('complementary', { name: 'First hints' })
    await tour.getByText('Your memory is files').waitFor()
    await keepScreenshot(page, 'first-run-2-hint')
    await tour.getByRole('button', { name: 'Next' }).click()
    await tour.getByRole('button', { name: 'Next' }).click()
    await tour.getByText('Everything by keyboard').waitFor()
    await tour.getByRole('button', { name: 'Done' }).click()
    await page.reload()
    await composer.waitFor()
    expect(await tour.count()).toBe(0)
  }, 90_000)

  it('M47: a model is connected, its mistakes are told, and what it has is to choose from', async () => {
    const model = await startModelServer({ text: 'Hello from the model.' })
    const server = await openTestServer({ config: '' })
    const page = await openPage()
    await page.goto(server.url)
    await page.getByRole('textbox', { name: 'Folder for the memory' }).fill(join(await temporaryFolder(), 'm'))
    await page.getByRole('combobox', { name: 'Who answers' }).selectOption('openai-compatible')
    await page.getByText('Not connected yet', { exact: false }).waitFor()
    await page.getByRole('textbox', { name: 'Base URL' }).fill('http://127.0.0.1:9/v1')
    await page.getByRole('button', { name: 'Connect' }).click()
    await page.getByRole('alert').waitFor({ timeout: 60_000 })
    await page.getByRole('textbox', { name: 'Base URL' }).fill(model.openAiUrl)
    await page.getByRole('button', { name: 'Connect' }).click()
    await page.getByRole('combobox', { name: 'Model' }).waitFor()
    await page.getByRole('button', { name: 'Start' }).click()
    const composer = page.getByRole('textbox', { name: 'Message' })
    await composer.fill('hello')
    await composer.press('Enter')
    await page.getByTestId('answer').getByText('Hello from the model.').waitFor()
  }, 90_000)
})

async function logs(workspace: string): Promise<string> {
  const today = new Date()
  const pad = (value: number) => String(value).padStart(2, '0')
  const name = `${today.getFullYear()}-${pad(today.getMonth() + 1)}-${pad(today.getDate())}.md`
  return readFile(join(workspace, 'memory', name), 'utf8').catch(() => '')
}
