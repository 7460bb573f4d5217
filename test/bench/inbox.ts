/**
 * Measures frame times of scrolling through an inbox of 1,000 suggestions in the built interface, with the wheel and
 * with a held key: `node test/bench/inbox.ts`, or as part of `run.ts`.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium, type Page } from 'playwright-core'
import { startServer } from '../../src/main/app/server/start-server.ts'
import { proposalOf } from '../../src/main/curation/suggestions/proposal.ts'
import { chromiumFlags, findChromium } from '../support/chromium.ts'
import { quantile, type Figure } from './figures.ts'

const count = 1000
const frames = 300
/** A fast turn of the wheel. */
const pixelsOfFrame = 120

export async function measureInbox(root: string): Promise<Figure[]> {
  const [home, workspace] = [join(root, 'inbox'), join(root, 'inbox-workspace')]
  mkdirSync(join(home, 'agents/main/upkeep'), { recursive: true })
  mkdirSync(workspace)
  writeFileSync(join(home, 'config.yaml'), `agents:\n  list: [{ id: main, workspace: "${workspace}" }]\n`)
  const lines = Array.from(
    { length: count },
    (_, at) => `- ${at}: the rent of the studio in Graz was paid on the first`,
  )
  const text = `${lines.join('\n')}\n`
  writeFileSync(join(workspace, 'notes.md'), text)
  const proposals = lines.map((line, at) =>
    proposalOf(
      {
        rule: at % 2 === 0 ? 'duplicate' : 'expired',
        evidence: [{ path: 'notes.md', line: at + 1, text: line }],
        files: [{ path: 'notes.md', edits: [{ line: at + 1, before: [line], after: [] }] }],
        detail: { likeness: 0.9, day: '2026-01-01' },
      },
      { author: { kind: 'rule' }, at: 1 },
      () => ({ text, hash: '' }),
    ),
  )
  writeFileSync(join(home, 'agents/main/upkeep/inbox.json'), JSON.stringify({ version: 1, lookedAt: 1, proposals }))
  const server = await startServer({ mainFolder: new URL('../../src/main/', import.meta.url), env: {}, home })
  const browser = await chromium.launch({ executablePath: findChromium(), args: [...chromiumFlags] })
  try {
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 } })
    await page.goto(server.url)
    await page.goto(new URL('/inbox', server.url).href)
    await page.getByTestId('proposal').first().waitFor()
    await page.waitForTimeout(1000)
    const wheel = await page.evaluate(scrolled, { frames, pixelsOfFrame })
    const keys = await held(page)
    return [
      { name: 'inbox of 1,000: a frame while it scrolls, median', value: quantile(wheel, 0.5), unit: 'ms' },
      { name: 'inbox of 1,000: a frame while it scrolls, p95', value: quantile(wheel, 0.95), unit: 'ms', budget: 17 },
      { name: 'inbox of 1,000: a frame with the j key down, p95', value: quantile(keys, 0.95), unit: 'ms' },
    ]
  } finally {
    await browser.close()
    await server.close()
  }
}

/** Runs in the page. Returns the time of each frame, ms. */
function scrolled({ frames, pixelsOfFrame }: { frames: number; pixelsOfFrame: number }): Promise<number[]> {
  const list = document.querySelector('[data-testid=proposals]')
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

async function held(page: Page): Promise<number[]> {
  await page.evaluate(() => {
    const at: number[] = []
    Object.assign(window, { at })
    const tick = (time: number) => {
      at.push(time)
      requestAnimationFrame(tick)
    }
    requestAnimationFrame(tick)
  })
  await page.getByTestId('proposals').focus()
  for (let press = 0; press < 120; press += 1) await page.keyboard.press('j')
  const at = await page.evaluate(() => (window as unknown as { at: number[] }).at)
  return at.slice(1).map((time, index) => time - (at[index] ?? 0))
}

if (import.meta.main) {
  const root = mkdtempSync(join(tmpdir(), 'commonplace-inbox-'))
  try {
    for (const { name, value, unit } of await measureInbox(root))
      process.stdout.write(`${name.padEnd(64)} ${value.toFixed(2).padStart(9)} ${unit}\n`)
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
}
