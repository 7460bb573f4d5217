/**
 * Takes the screenshots of the README and the tour, with the app itself on sample notes: `node
 * test/support/pictures.ts`. Check them before committing.
 */
import { once } from 'node:events'
import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { chromium, type Page } from 'playwright-core'
import { startServer } from '../../src/main/app/server/start-server.ts'
import { chromiumFlags, findChromium } from './chromium.ts'
import { mainFolder } from './built.ts'
import { connect } from './client.ts'
import { makeDemo } from '../../src/main/demo.mjs'
import { until } from './folder.ts'

const folder = fileURLToPath(new URL('../../docs/images/', import.meta.url))
const size = { width: 1200, height: 750 }

/** Answers by a word of the question, with the titles of their chats; `LOG` stands for the path of the last log, `CHOICE` for that about the worktop. */
const answers: Readonly<Record<string, { readonly answer: string; readonly title: string }>> = {
  worktop: {
    answer:
      'The recycled paper composite in charcoal, 30 mm [CHOICE:9]. The page on the kitchen still says solid oak [projects/kitchen.md:6].',
    title: 'Worktop of the kitchen',
  },
  Sunday: {
    answer:
      'Your race number is **2264**. The start is at 9:30 at the old toll house [LOG:7], and Joss waits at kilometre 15 with dates [LOG:8].',
    title: 'Race on Sunday',
  },
  plumber: {
    answer: 'I found no plumber in your notes. Colm Brennan is the builder of the kitchen [projects/kitchen.md:5].',
    title: 'Race on Sunday',
  },
  latch: { answer: 'Noted.', title: 'Larder latch' },
}

/** A loopback server that speaks OpenAI's chat completions and answers from the table. */
async function startModel(): Promise<Server> {
  const model = createServer((request, response) => {
    if (request.method === 'GET') {
      response.setHeader('content-type', 'application/json')
      return response.end(JSON.stringify({ data: [{ id: 'qwen3:8b', max_model_len: 32_768 }] }))
    }
    void text(request).then((body) => {
      const last = body.lastIndexOf('"role":"user"')
      const known = Object.entries(answers).find(([word]) => body.indexOf(word, last) > 0)?.[1]
      const answer = body.includes('Give this conversation a title') ? known?.title : known?.answer
      response.setHeader('content-type', 'text/event-stream')
      const content = (answer ?? 'Noted.').replaceAll('LOG', lastLog).replaceAll('CHOICE', choiceLog)
      response.write(`data: ${JSON.stringify({ choices: [{ index: 0, delta: { role: 'assistant', content } }] })}\n\n`)
      response.end(
        `data: ${JSON.stringify({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] })}\n\ndata: [DONE]\n\n`,
      )
    })
    return undefined
  })
  await once(model.listen(0, '127.0.0.1'), 'listening')
  return model
}

// The screenshots show this path.
const root = join(tmpdir(), 'nell')
const model = await startModel()
const home = makeDemo({
  home: root,
  language: 'en',
  more: `providers:
  openai-compatible: { baseUrl: "http://127.0.0.1:${(model.address() as AddressInfo).port}/v1" }
`,
})
const config = join(home, 'config.yaml')
await writeFile(
  config,
  (await readFile(config, 'utf8')).replace('name: Demo', 'name: Commonplace, model: "openai-compatible/qwen3:8b"'),
)
const logs = await readdir(join(home, 'notes/memory'))
const lastLog = `memory/${logs.toSorted().at(-1)}`
const texts = await Promise.all(logs.map((name) => readFile(join(home, 'notes/memory', name), 'utf8')))
const choiceLog = `memory/${logs[texts.findIndex((one) => one.includes('We take the recycled paper'))]}`
const server = await startServer({ mainFolder, env: {}, home })
const browser = await chromium.launch({ executablePath: findChromium(), args: [...chromiumFlags] })
try {
  const client = await connect(server.url)
  // The screenshots include vector search: waits until the built-in model has embedded everything.
  await until(async () => {
    const { units, embedded } = await client.search.status({ agent: 'main' })
    return units > 100 && embedded === units
  }, 60_000)
  const page = await browser.newPage({ viewport: size, locale: 'en-US', colorScheme: 'light' })
  await page.goto(server.url)
  await takeTour(page)
  for (const theme of ['light', 'dark'] as const) {
    await client.settings.setAppearance({ theme })
    await page.locator(`html[data-theme=${theme}]`).waitFor()
    await openChat(page)
    await take(page, `chat-${theme}`)
    await openSearch(page)
    await take(page, `search-${theme}`)
  }
} finally {
  await browser.close()
  await server.close()
  model.close()
  await rm(root, { recursive: true, force: true, maxRetries: 5 })
}

async function takeTour(page: Page): Promise<void> {
  await ask(page, 'Which number do I wear on Sunday?')
  await ask(page, 'What did we say about a plumber?')
  await page.getByRole('link', { name: 'New chat' }).click()
  await ask(page, 'Remember that Colm brings the larder latch on Tuesday')
  await page.getByTestId('diff-card').waitFor()
  await take(page, 'tour-2-remember')
  await page.getByRole('link', { name: 'New chat' }).click()
  await page.getByRole('heading', { name: 'Today’s log' }).waitFor()
  await take(page, 'tour-1-start')
  await openChat(page)
  await take(page, 'tour-3-ask')
  await page.getByTestId('result').filter({ hasText: 'solid oak' }).getByRole('button', { name: 'Outdated' }).click()
  await page.getByTestId('proposal-view').waitFor()
  await take(page, 'tour-4-mend')
  await openSearch(page)
  await take(page, 'tour-5-search')
  await page.getByRole('link', { name: /^Notes/ }).click()
  await page.getByRole('link', { name: 'Changes' }).click()
  await page.getByTestId('change').first().waitFor()
  await take(page, 'tour-6-changes')
  await page.getByRole('link', { name: /^Inspect/ }).click()
  await page.getByTestId('context-total').waitFor()
  await take(page, 'tour-7-context')
  await page.keyboard.press('Control+k')
  await page.keyboard.type('latch')
  await page.getByRole('option').first().waitFor()
  await take(page, 'tour-8-palette')
  await page.keyboard.press('Escape')
}

/** Asks a question with recalled notes, and opens them. */
async function openChat(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'New chat' }).click()
  await ask(page, 'Is the worktop in solid oak or in paper composite?')
  await page.getByTestId('recalled').first().locator('summary').click()
  await page.getByTestId('result').first().waitFor()
  await page.getByText('Is the worktop in solid oak').last().scrollIntoViewIfNeeded()
}

async function openSearch(page: Page): Promise<void> {
  await page.keyboard.press('Control+Shift+F')
  await page.getByRole('combobox', { name: 'Search' }).fill('kitchen latch')
  await page.getByTestId('result').first().waitFor()
  await page.keyboard.press('Tab')
  await page.getByTestId('why-sentences').waitFor()
}

async function ask(page: Page, text: string): Promise<void> {
  const composer = page.getByRole('textbox', { name: 'Message' })
  await composer.fill(text)
  await composer.press('Enter')
  await page.getByTestId('answer').last().waitFor()
  await page.getByRole('button', { name: 'Stop' }).waitFor({ state: 'detached' })
}

/** Takes a screenshot after all animations have ended. */
async function take(page: Page, name: string): Promise<void> {
  await page.mouse.move(0, 0)
  await page.waitForTimeout(600)
  await page.screenshot({ path: join(folder, `${name}.png`) })
}
