/** Benchmarks of the interface: time to the first word, dropped frames, and memory of a long chat. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { chromium, type Browser, type Page } from 'playwright-core'
import { startServer } from '../../src/main/app/server/start-server.ts'
import { chromiumFlags, findChromium } from '../support/chromium.ts'
import { quantile, type Figure } from './figures.ts'

const firstWords = 30
/** About 20,000 tokens: pieces of 16 characters. */
const longAnswerPieces = 5000
const pieceEveryMs = 4
const messages = 10_000

export async function measureInterface(root: string): Promise<Figure[]> {
  const model = await startModel()
  const home = join(root, 'interface')
  const workspace = join(root, 'interface-workspace')
  mkdirSync(workspace, { recursive: true })
  mkdirSync(join(home, 'agents/main/sessions'), { recursive: true })
  writeFileSync(join(workspace, 'MEMORY.md'), '# Memory\n')
  writeFileSync(
    join(home, 'config.yaml'),
    `providers: { anthropic: { baseUrl: "${model.url}" } }\nagents:\n  defaults: { chat: { titles: false } }\n  list: [{ id: main, workspace: "${workspace}", model: anthropic/test }]\n`,
  )
  writeFileSync(join(home, 'agents/main/sessions/long.jsonl'), longTranscript())
  const mainFolder = new URL('../../src/main/', import.meta.url)
  const server = await startServer({ mainFolder, env: { ANTHROPIC_API_KEY: 'k' }, home })
  const browser = await chromium.launch({ executablePath: findChromium(), args: [...chromiumFlags] })
  try {
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 } })
    await page.goto(server.url)
    return [
      ...(await measureFirstPixel(page, model)),
      ...(await measureFrames(page, model)),
      ...(await measureLongChat(page, browser, server.url)),
    ]
  } finally {
    await browser.close()
    await server.close()
    model.close()
  }
}

/** Measures from the first byte of an answer's text to the frame that shows it. */
async function measureFirstPixel(page: Page, model: Model): Promise<Figure[]> {
  const delays: number[] = []
  for (let turn = 0; turn < firstWords; turn += 1) {
    const word = `firstword${turn}x`
    model.pieces = [word]
    const shown = page.evaluate(
      (text) =>
        new Promise<number>((resolve) => {
          const observer = new MutationObserver(() => {
            if (!document.querySelector('[data-testid=live]')?.textContent?.includes(text)) return
            observer.disconnect()
            requestAnimationFrame(() => setTimeout(() => resolve(performance.timeOrigin + performance.now())))
          })
          observer.observe(document.body, { subtree: true, childList: true, characterData: true })
        }),
      word,
    )
    await ask(page, 'go')
    delays.push((await shown) - model.firstPieceAt)
    await page.getByRole('button', { name: 'Stop' }).waitFor({ state: 'detached' })
  }
  return [
    { name: 'first SSE byte to first pixel, median', value: quantile(delays, 0.5), unit: 'ms', budget: 50 },
    { name: 'first SSE byte to first pixel, p95', value: quantile(delays, 0.95), unit: 'ms' },
  ]
}

async function measureFrames(page: Page, model: Model): Promise<Figure[]> {
  model.pieces = longAnswer()
  await page.evaluate(() => {
    const frames: number[] = []
    Object.assign(window, { frames })
    const tick = (at: number) => {
      frames.push(at)
      requestAnimationFrame(tick)
    }
    requestAnimationFrame(tick)
  })
  await ask(page, 'tell me everything')
  await page.getByRole('button', { name: 'Stop' }).waitFor()
  const from = await page.evaluate(() => (window as unknown as { frames: number[] }).frames.length)
  await page.getByRole('button', { name: 'Stop' }).waitFor({ state: 'detached', timeout: 180_000 })
  const times = await page.evaluate((start) => (window as unknown as { frames: number[] }).frames.slice(start), from)
  const gaps = times.slice(1).map((at, index) => at - (times[index] ?? at))
  const frame = 1000 / 60
  const dropped = gaps.reduce((sum, gap) => sum + Math.max(0, Math.round(gap / frame) - 1), 0)
  return [
    { name: 'streaming 20,000 tokens: dropped frames', value: (100 * dropped) / (dropped + gaps.length), unit: '%' },
    { name: 'streaming 20,000 tokens: frame, p95', value: quantile(gaps, 0.95), unit: 'ms' },
    { name: 'streaming 20,000 tokens: longest frame', value: Math.max(...gaps), unit: 'ms' },
  ]
}

async function measureLongChat(page: Page, browser: Browser, url: string): Promise<Figure[]> {
  const from = Date.now()
  await page.goto(new URL('/chat/long', url).href)
  await page
    .getByText(`Answer ${messages - 1}`)
    .first()
    .waitFor()
  const openMs = Date.now() - from
  // Scrolls through everything once, like a reader.
  for (let step = 0; step < 40; step += 1) {
    await page.getByTestId('scroller').evaluate(
      (element, share) => {
        element.scrollTop = element.scrollHeight * share
      },
      1 - step / 40,
    )
    await sleep(50)
  }
  await page.requestGC()
  const processes = await (await browser.newBrowserCDPSession()).send('SystemInfo.getProcessInfo')
  const renderers = processes.processInfo.filter(({ type }) => type === 'renderer')
  const resident = Math.max(...renderers.map(({ id }) => residentMegabytes(id)))
  const metrics = await (await page.context().newCDPSession(page)).send('Runtime.getHeapUsage')
  return [
    { name: 'chat of 10,000 messages: load to shown', value: openMs, unit: 'ms' },
    { name: 'chat of 10,000 messages: renderer memory', value: resident, unit: 'MB', budget: 300 },
    { name: 'chat of 10,000 messages: JavaScript heap', value: metrics.usedSize / 1e6, unit: 'MB' },
  ]
}

/** Returns the resident memory of a process, without memory shared with other processes. */
function residentMegabytes(pid: number): number {
  const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8')
  return Number(/^Pss:\s+(\d+)/m.exec(rollup)?.[1] ?? 0) / 1024
}

async function ask(page: Page, text: string): Promise<void> {
  const composer = page.getByRole('textbox', { name: 'Message' })
  await composer.fill(text)
  await composer.press('Enter')
}

interface Model {
  readonly url: string
  pieces: readonly string[]
  /** Time at which the first word of the last answer was sent, ms since the epoch. */
  firstPieceAt: number
  close(): void
}

async function startModel(): Promise<Model> {
  const server = createServer((request, response) => {
    request.resume()
    if (request.method === 'GET') return void response.end('{"data":[],"has_more":false}')
    void answer(response).catch(() => response.destroy())
  })
  const model: Model = { url: '', pieces: [], firstPieceAt: 0, close: () => server.close() }
  async function answer(response: ServerResponse): Promise<void> {
    const { pieces } = model
    response.writeHead(200, { 'Content-Type': 'text/event-stream' })
    const send = (event: { type: string }) => response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
    const usage = { input_tokens: 1, output_tokens: 1 }
    send(Object.assign({ type: 'message_start' }, { message: { id: 'm', role: 'assistant', content: [], usage } }))
    send(Object.assign({ type: 'content_block_start' }, { index: 0, content_block: { type: 'text', text: '' } }))
    await sleep(150)
    model.firstPieceAt = performance.timeOrigin + performance.now()
    const start = performance.now()
    for (const [index, text] of pieces.entries()) {
      send(Object.assign({ type: 'content_block_delta' }, { index: 0, delta: { type: 'text_delta', text } }))
      // Keeps the pace even if timers fire late.
      const due = start + index * pieceEveryMs
      if (due - performance.now() > 1) await sleep(due - performance.now())
    }
    if (pieces.length === 1) await sleep(150)
    send(Object.assign({ type: 'message_delta' }, { delta: { stop_reason: 'end_turn' }, usage }))
    send({ type: 'message_stop' })
    response.end()
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const bound = server.address()
  return Object.assign(model, { url: `http://127.0.0.1:${typeof bound === 'object' && bound ? bound.port : 0}` })
}

/** Returns the pieces of an answer with paragraphs, lists, tables and code. */
function longAnswer(): string[] {
  const section = [
    '## A heading\n\nA paragraph with **bold** words, `code`, a [link](https://example.com) and [MEMORY.md:3] in it. ',
    'It goes on for a while, as explanations do, and ends here.\n\n- one item\n- another item with some more words\n\n',
    '| Name | Size |\n|------|-----:|\n| a | 1.5 |\n| b | 2.5 |\n\n',
    '```ts\nexport function add(one: number, other: number): number {\n  return one + other\n}\n```\n\n',
  ].join('')
  const text = section.repeat(Math.ceil((longAnswerPieces * 16) / section.length)).slice(0, longAnswerPieces * 16)
  return text.match(/[\s\S]{1,16}/g) ?? []
}

function longTranscript(): string {
  const timestamp = '2026-01-20T10:00:00.000Z'
  const usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0 }
  const lines: object[] = [{ type: 'session', version: 3, id: 'long', timestamp }]
  for (let number = 0; number < messages; number += 1) {
    const text = `${number % 2 === 0 ? 'Question' : 'Answer'} ${number}: ${'some **words** of it, and `code`. '.repeat(number % 30)}`
    const message =
      number % 2 === 0
        ? { role: 'user', content: text, timestamp: Date.now() }
        : {
            role: 'assistant',
            content: [{ type: 'text', text }],
            provider: 'p',
            model: 'm',
            usage,
            stopReason: 'stop',
            timestamp: Date.now(),
          }
    lines.push({
      type: 'message',
      id: `m${number}`,
      parentId: number === 0 ? null : `m${number - 1}`,
      timestamp,
      message,
    })
  }
  return `${lines.map((line) => JSON.stringify(line)).join('\n')}\n`
}
