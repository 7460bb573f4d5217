import { describe, expect, it, onTestFinished } from 'vitest'
import { startServer } from '../../src/main/app/server/start-server.ts'
import { mainFolder, openTestServer, prepareFolders } from '../support/app.ts'
import { openPage } from '../support/browser.ts'
import { modelConfig } from '../support/test-page.ts'
import { until } from '../support/folder.ts'
import { numberedWords, startModelServer } from '../support/model-server.ts'

const gone = /WebSocket|Failed to load resource|ERR_/

/** Opens a host that can stop and start again at the same address. */
async function openMortal(...answers: Parameters<typeof startModelServer>) {
  const model = await startModelServer(...answers)
  const folders = await prepareFolders({
    config: modelConfig(model.url),
  })
  const start = (port = 0) => startServer({ mainFolder, env: { ANTHROPIC_API_KEY: 'k' }, home: folders.home, port })
  let server = await start()
  onTestFinished(() => server.close())
  const port = Number(new URL(server.url).port)
  return {
    model,
    get url() {
      return server.url
    },
    end: () => server.close(),
    again: async () => (server = await start(port)),
  }
}

describe('refused browser', () => {
  it('explains what to do after a restart, and accepts the pasted address', async () => {
    const host = await openMortal()
    const page = await openPage({ colorScheme: 'dark', viewport: { width: 360, height: 740 } }, /401/)
    await page.goto(new URL('/changes?a=1', host.url).href)
    await page.getByRole('heading', { name: 'This browser has no access yet' }).waitFor()
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360)
    const field = page.getByRole('textbox')
    await field.fill('a-wrong-one')
    await page.getByRole('button', { name: 'Enter' }).click()
    await page.getByText('This key is wrong or has expired').waitFor()
    await field.fill(host.url)
    await field.press('Enter')
    await page.getByRole('heading', { name: 'Changes' }).waitFor()
    expect(new URL(page.url()).pathname + new URL(page.url()).search).toBe('/changes?a=1')
  })

  it('keeps the top row of an open page visible below the notice', async () => {
    const host = await openMortal()
    const page = await openPage({ viewport: { width: 700, height: 800 } }, gone)
    await page.goto(host.url)
    const composer = page.getByRole('textbox', { name: 'Message' })
    await composer.fill('half a thought')
    await host.end()
    await host.again()
    const notice = page.getByRole('alert')
    await notice.waitFor()
    const [above, below] = [await notice.boundingBox(), await page.getByRole('heading').first().boundingBox()]
    expect(above && below && below.y >= above.y + above.height).toBe(true)
    expect(await page.getByText('open the address shown in the terminal').count()).toBe(1)
    const other = await page.context().newPage()
    await other.goto(host.url)
    await notice.waitFor({ state: 'detached' })
    expect(await composer.inputValue()).toBe('half a thought')
  })
})

describe('runtime offline', () => {
  it('keeps loaded views, explains missing ones, and recovers after reconnecting', async () => {
    const host = await openMortal({ text: numberedWords('words of the answer', 200), delayMs: 40 })
    const page = await openPage({}, gone)
    // Views preload one by one while the window is idle.
    const isThere = page.waitForResponse(/suggestions-view/)
    await page.goto(host.url)
    await isThere
    const composer = page.getByRole('textbox', { name: 'Message' })
    await composer.fill('tell me slowly')
    await composer.press('Enter')
    await page.getByText('words of the answer').first().waitFor()
    const chat = page.url()
    await host.end()
    await page.getByText('Connection lost', { exact: false }).waitFor()
    await page.getByRole('navigation').getByRole('link', { name: 'Suggestions' }).first().click()
    await page.getByRole('alert').getByText('The app cannot be reached', { exact: false }).waitFor()
    await page.getByRole('button', { name: 'Try again' }).waitFor()
    await page.goBack()
    expect(page.url()).toBe(chat)
    await page.getByText('tell me slowly').last().waitFor()
    await page.getByText('words of the answer').first().waitFor()
    // Longer than a query waits for the connection.
    await page.waitForTimeout(4500)
    expect(await page.getByText('words of the answer').count()).toBeGreaterThan(0)
    await composer.fill('and this while you are gone')
    await composer.press('Enter')
    await page.getByTestId('unsent').getByText('Not sent yet', { exact: false }).waitFor()
    host.model.script = [{ text: 'Welcome back.' }]
    await host.again()
    const other = await page.context().newPage()
    await other.goto(host.url)
    await page.getByText('Welcome back.').waitFor()
    await page.getByTestId('unsent').waitFor({ state: 'detached' })
    expect(await page.locator('article').getByText('and this while you are gone').count()).toBe(1)
    await page.getByRole('navigation').getByRole('link', { name: 'Suggestions' }).first().click()
    await page.getByRole('alert').waitFor({ state: 'detached' })
  })

  it('queues a message, returns it to the composer on request, and sends it after reconnecting', async () => {
    const { url } = await openTestServer()
    const page = await openPage({}, gone)
    await page.goto(url)
    const composer = page.getByRole('textbox', { name: 'Message' })
    await composer.waitFor()
    await page.getByRole('contentinfo').getByRole('link').first().waitFor()
    await page.context().setOffline(true)
    // The first event can come before requests fail.
    await until(async () => {
      await page.evaluate(() => dispatchEvent(new Event('offline')))
      return page.getByText('Connection lost', { exact: false }).isVisible()
    })
    for (const text of ['Remember that the gate is green', 'and something else']) {
      await composer.fill(text)
      await composer.press('Enter')
      await page.getByTestId('unsent').getByText(text).waitFor()
    }
    await page.getByTestId('unsent').getByRole('button', { name: 'Cancel' }).last().click()
    expect(await composer.inputValue()).toBe('and something else')
    await page.context().setOffline(false)
    await page.getByTestId('diff-card').waitFor()
    await page.getByTestId('unsent').waitFor({ state: 'detached' })
    await until(() => new URL(page.url()).pathname.startsWith('/chat/'))
    expect(await page.locator('article').getByText('Remember that the gate is green').count()).toBe(1)
    expect(await composer.inputValue()).toBe('and something else')
  })
})
