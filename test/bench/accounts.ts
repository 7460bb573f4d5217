/** Benchmarks of the memory and context views with a thousand requests and a large memory. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { chromium, type Page } from 'playwright-core'
import { startServer } from '../../src/main/app/server/start-server.ts'
import { chromiumFlags, findChromium } from '../support/chromium.ts'
import { writeCorpus } from './corpus.ts'
import { quantile, type Figure } from './figures.ts'

const requests = 1000
const files = 1000

export async function measureAccounts(root: string): Promise<Figure[]> {
  const home = join(root, 'accounts')
  const workspace = join(root, 'accounts-workspace')
  mkdirSync(join(home, 'agents/main/sessions'), { recursive: true })
  const { queries } = writeCorpus(workspace, files)
  writeFileSync(join(home, 'config.yaml'), `agents:\n  list: [{ id: main, workspace: "${workspace}" }]\n`)
  writeFileSync(join(home, 'agents/main/sessions/long.jsonl'), transcript())
  const mainFolder = new URL('../../src/main/', import.meta.url)
  const server = await startServer({ mainFolder, env: {}, home })
  const browser = await chromium.launch({ executablePath: findChromium(), args: [...chromiumFlags] })
  try {
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 } })
    await page.goto(server.url)
    return [...(await measureTimeline(page, server.url)), ...(await measureWhatIf(page, server.url, queries[0] ?? ''))]
  } finally {
    await browser.close()
    await server.close()
  }
}

async function measureTimeline(page: Page, url: string): Promise<Figure[]> {
  const from = Date.now()
  await page.goto(new URL('/context/long', url).href)
  const slider = page.getByRole('slider', { name: 'Select request' })
  await slider.waitFor()
  const openMs = Date.now() - from
  const frames = await framesDuring(page, async () => {
    for (let step = 0; step < 100; step += 1) await slider.fill(String((step * 37) % requests))
  })
  return [
    { name: 'timeline of 1,000 requests: load to shown', value: openMs, unit: 'ms' },
    { name: 'timeline of 1,000 requests: frame, p95', value: quantile(frames, 0.95), unit: 'ms' },
    { name: 'timeline of 1,000 requests: longest frame', value: Math.max(...frames), unit: 'ms' },
  ]
}

async function measureWhatIf(page: Page, url: string, query: string): Promise<Figure[]> {
  // Waits for the index, so that only the ranking is measured.
  await page.getByText(/files.* · [\d,]+ \w+$/).waitFor({ timeout: 120_000 })
  await page.goto(new URL(`/search?q=${encodeURIComponent(query)}`, url).href)
  await page.getByTestId('candidate').first().waitFor()
  await page.getByRole('button', { name: 'What if' }).click()
  const slider = page.getByRole('slider', { name: /threshold/ })
  const frames = await framesDuring(page, async () => {
    for (let step = 0; step < 60; step += 1) await slider.fill(String((step % 30) / 30))
  })
  return [
    { name: 'what if, all candidates: frame, p95', value: quantile(frames, 0.95), unit: 'ms' },
    { name: 'what if, all candidates: longest frame', value: Math.max(...frames), unit: 'ms' },
  ]
}

/** Returns the times between frames during `work`, ms. */
async function framesDuring(page: Page, work: () => Promise<void>): Promise<number[]> {
  await page.evaluate(() => {
    const frames: number[] = []
    Object.assign(window, { frames })
    const tick = (at: number) => {
      frames.push(at)
      requestAnimationFrame(tick)
    }
    requestAnimationFrame(tick)
  })
  await work()
  const times = await page.evaluate(() => (window as unknown as { frames: number[] }).frames)
  return times.slice(1).map((at, index) => at - (times[index] ?? at))
}

function transcript(): string {
  const timestamp = '2026-01-20T10:00:00.000Z'
  const lines: object[] = [{ type: 'session', version: 3, id: 'long', timestamp }]
  let last: string | null = null
  const add = (entry: object) => {
    const id: string = `e${lines.length}`
    lines.push({ id, parentId: last, timestamp, ...entry })
    last = id
  }
  for (let number = 0; number < requests; number += 1) {
    const tokens = 2000 + ((number * 300) % 90_000)
    const item = (layer: string, name: string, size: number) => ({
      layer,
      name,
      tokens: size,
      rawCharacters: size * 4,
      sentCharacters: size * 4,
    })
    const items = [
      item('system', 'system prompt', 500),
      item('project', 'MEMORY.md', 1500),
      item('conversation', 'conversation', tokens - 2000),
      item('message', 'message', 40),
    ]
    const estimatedTokens = items.reduce((sum, one) => sum + one.tokens, 0)
    add({ type: 'message', message: { role: 'user', content: `Question ${number}`, timestamp: 0 } })
    const budget = { contextWindow: 128_000, reserveTokens: 20_000, flushAt: 100_000, compactAt: 108_000 }
    const data = { model: 'a/b', ...budget, items, estimatedTokens, reportedTokens: estimatedTokens, sentAt: 0 }
    add({ type: 'custom', customType: 'commonplace.context', data })
    const usage = { input: estimatedTokens, output: 20, cacheRead: 0, cacheWrite: 0, totalTokens: estimatedTokens + 20 }
    const content = [{ type: 'text', text: `Answer ${number}` }]
    add({
      type: 'message',
      message: { role: 'assistant', content, provider: 'a', model: 'b', usage, stopReason: 'stop', timestamp: 0 },
    })
  }
  return `${lines.map((line) => JSON.stringify(line)).join('\n')}\n`
}
