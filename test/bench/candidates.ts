/**
 * Measures dropped frames while the candidates of a search scroll in the built interface: 1,000 of them, copies of those
 * that a search of real notes finds. `node test/bench/candidates.ts`, or as part of `run.ts`.
 */
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium } from 'playwright-core'
import { startServer } from '../../src/main/app/server/start-server.ts'
import type { Candidate } from '../../src/shared/contract/index.ts'
import { chromiumFlags, findChromium } from '../support/chromium.ts'
import { quantile, type Figure } from './figures.ts'

const count = 1000
const frames = 600
/** A fast turn of the wheel: all rows in 10 seconds. */
const pixelsOfFrame = 120
const frameMs = 1000 / 60

export async function measureCandidates(root: string): Promise<Figure[]> {
  const [home, workspace] = [join(root, 'candidates'), join(root, 'candidates-workspace')]
  mkdirSync(home, { recursive: true })
  cpSync(new URL('../recall/everyday-en/workspace', import.meta.url), workspace, { recursive: true })
  writeFileSync(join(home, 'config.yaml'), `agents:\n  list: [{ id: main, workspace: "${workspace}" }]\n`)
  const server = await startServer({ mainFolder: new URL('../../src/main/', import.meta.url), env: {}, home })
  const browser = await chromium.launch({ executablePath: findChromium(), args: [...chromiumFlags] })
  try {
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 } })
    await page.routeWebSocket(/./, (socket) => {
      const host = socket.connectToServer()
      host.onMessage((message) => socket.send(withCopies(message)))
    })
    await page.goto(server.url)
    await page.getByRole('textbox', { name: 'Message' }).waitFor()
    await page.goto(new URL('/inspect/found?q=cello+practice', server.url).href)
    await page.getByText(`· 1,000 examined ·`, { exact: false }).waitFor()
    await page.waitForTimeout(1000)
    const session = await page.context().newCDPSession(page)
    // Processor time, so that other programs do not change it.
    await session.send('Performance.enable', { timeDomain: 'threadTicks' })
    const workedMs = async () => {
      const { metrics } = await session.send('Performance.getMetrics')
      return 1000 * (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0)
    }
    const before = await workedMs()
    const gaps = await page.evaluate(scrolled, { frames, pixelsOfFrame })
    const worked = (await workedMs()) - before
    const dropped = gaps.reduce((sum, gap) => sum + Math.max(0, Math.round(gap / frameMs) - 1), 0)
    return [
      {
        name: '1,000 candidates: dropped frames while they scroll',
        value: (100 * dropped) / (dropped + gaps.length),
        unit: '%',
        budget: 1,
      },
      { name: '1,000 candidates: processor time of a frame, mean', value: worked / gaps.length, unit: 'ms' },
      { name: '1,000 candidates: a frame while they scroll, p95', value: quantile(gaps, 0.95), unit: 'ms' },
      { name: '1,000 candidates: longest frame', value: Math.max(...gaps), unit: 'ms' },
    ]
  } finally {
    await browser.close()
    await server.close()
  }
}

/** Repeats the candidates of a message until there are 1,000, with different line numbers. */
function withCopies(message: string | Buffer): string | Buffer {
  const text = message.toString()
  if (!text.includes('"thresholds"')) return message
  return JSON.stringify(JSON.parse(text), (key, value: unknown) => {
    if (key !== 'candidates' || !Array.isArray(value) || value.length === 0) return value
    const found = value as Candidate[]
    return Array.from({ length: count }, (_, at) => ({
      ...found[at % found.length],
      startLine: at + 1,
      endLine: at + 1,
    }))
  })
}

/** Runs in the page. Returns the time of each frame, ms. */
function scrolled({ frames, pixelsOfFrame }: { frames: number; pixelsOfFrame: number }): Promise<number[]> {
  const list = document.querySelector('[role=table]')?.closest('.overflow-y-auto')
  return new Promise((resolve) => {
    const took: number[] = []
    let last: number | undefined
    const tick = (at: number) => {
      if (last !== undefined) took.push(at - last)
      last = at
      if (took.length === frames) resolve(took)
      else {
        list?.scrollBy({ top: pixelsOfFrame })
        requestAnimationFrame(tick)
      }
    }
    requestAnimationFrame(tick)
  })
}

if (import.meta.main) {
  const root = mkdtempSync(join(tmpdir(), 'commonplace-candidates-'))
  try {
    for (const { name, value, unit } of await measureCandidates(root))
      process.stdout.write(`${name.padEnd(64)} ${value.toFixed(2).padStart(9)} ${unit}\n`)
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
}
