/**
 * Shows every note of real vaults in the preview in a browser. Reports exceptions, the longest frame, nodes and memory.
 * Then types into, and scrolls through, notes of 430 kB, 2 MB and 5 MB beside their preview.
 *
 *   node test/vaults/reading.ts [--every 1] [--pictures FOLDER --of 20] [--typing] [--full] FOLDER…
 */
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { chromium, type Browser, type Page } from 'playwright-core'
import { startServer } from '../../src/main/app/server/start-server.ts'
import { mainFolder } from '../support/built.ts'
import { chromiumFlags, findChromium } from '../support/chromium.ts'
import { goTo, lookAt, watchPage } from '../support/page-watch.ts'
import { quantile } from '../bench/figures.ts'

const { values, positionals } = parseArgs({
  options: {
    every: { type: 'string', default: '1' },
    pictures: { type: 'string' },
    of: { type: 'string', default: '20' },
    only: { type: 'string' },
    typing: { type: 'boolean', default: false },
    full: { type: 'boolean', default: false },
    dark: { type: 'boolean', default: false },
  },
  allowPositionals: true,
})

interface Opened {
  readonly page: Page
  readonly workspace: string
  readonly errors: string[]
}

async function withWorkspace<T>(
  browser: Browser,
  prepare: (folder: string) => Promise<void>,
  use: (opened: Opened) => Promise<T>,
) {
  const root = await mkdtemp(join(tmpdir(), 'reading-'))
  const workspace = join(root, 'workspace')
  const home = join(root, 'state')
  await prepare(workspace)
  await mkdir(home, { recursive: true })
  const config = `agents:\n  list:\n    - { id: main, workspace: "${workspace}" }\n  defaults: { memory: { embedding: { provider: none } } }\n`
  await writeFile(join(home, 'config.yaml'), config)
  const server = await startServer({ mainFolder, env: {}, home })
  const colorScheme = values.dark ? 'dark' : 'light'
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 }, colorScheme })
  try {
    const errors: string[] = []
    page.on('pageerror', (error) => errors.push(String(error)))
    page.on('console', (message) => {
      if (message.type() === 'error') errors.push(message.text())
    })
    await watchPage(page)
    await page.addInitScript((isFull) => {
      localStorage.setItem('commonplace.file.preview', 'yes')
      localStorage.setItem('commonplace.file.full', isFull ? 'yes' : 'no')
    }, values.full)
    await page.goto(server.url)
    await page.getByRole('textbox', { name: 'Message' }).waitFor()
    return await use({ page, workspace, errors })
  } finally {
    await page.close()
    await server.close()
    await rm(root, { recursive: true, force: true })
  }
}

async function readAll(browser: Browser, folder: string): Promise<void> {
  const prepare = (workspace: string) => cp(folder, workspace, { recursive: true })
  await withWorkspace(browser, prepare, async ({ page, workspace, errors }) => {
    const all = (await readdir(workspace, { recursive: true }))
      .filter((name) => name.endsWith('.md') && !name.split('/').some((step) => step.startsWith('.')))
      .sort()
    const notes = all.filter((name, index) =>
      values.only ? name.includes(values.only) : index % Number(values.every) === 0,
    )
    const every = Math.max(1, Math.floor(notes.length / Number(values.of)))
    const sum = { notes: 0, broken: 0, plain: 0, nodes: 0, longestTask: 0, over100: 0, twice: 0 }
    const slow: string[] = []
    for (const [index, note] of notes.entries()) {
      const sight = await lookAtNote(page, note)
      const elements = await page.getByTestId('preview').locator('*').count()
      sum.notes += 1
      sum.broken += sight.broken
      sum.plain += sight.plain
      sum.nodes = Math.max(sum.nodes, elements)
      if (sight.longestTask > 100) slow.push(note)
      else sum.longestTask = Math.max(sum.longestTask, sight.longestTask)
      if (index % 1000 === 999)
        process.stdout.write(`  ${index + 1}: ${JSON.stringify(await memoryOf(browser, page))}\n`)
      if (sight.broken > 0) process.stdout.write(`  broken: ${note}\n`)
      if (errors.length > 0) process.stdout.write(`  ${note}: ${errors.splice(0).join(' | ').slice(0, 300)}\n`)
      if (values.pictures !== undefined && index % every === 0) {
        await mkdir(values.pictures, { recursive: true })
        await page.waitForTimeout(400)
        const name = `${note.replaceAll(/[^\p{L}\p{N}]+/gu, '-').slice(-80)}.png`
        await page.screenshot({ path: join(values.pictures, name) })
      }
    }
    Object.assign(sum, await memoryOf(browser, page))
    // Slow notes are shown again, between other views, because other work on the machine delays frames too.
    sum.twice = slow.length
    const still: string[] = []
    for (const note of slow) {
      let longest = Infinity
      for (let look = 0; look < 3 && longest > 100; look += 1) {
        await goTo(page, '/settings')
        await lookAt(page)
        longest = Math.min(longest, (await lookAtNote(page, note)).longestTask)
      }
      sum.longestTask = Math.max(sum.longestTask, longest)
      if (longest > 100) still.push(`${note} ${Math.round(longest)}`)
    }
    sum.over100 = still.length
    process.stdout.write(`${folder}: ${JSON.stringify({ ...sum, longestTask: Math.round(sum.longestTask) })}\n`)
    if (still.length > 0) process.stdout.write(`  over 100 ms: ${still.slice(0, 12).join(', ')}\n`)
  })
}

async function lookAtNote(page: Page, note: string) {
  await goTo(page, `/file/${note.split('/').map(encodeURIComponent).join('/')}`)
  return lookAt(page)
}

/** Measures the page's own memory, and the cache of decoded images that the browser frees under memory pressure. */
async function memoryOf(browser: Browser, page: Page) {
  const session = await page.context().newCDPSession(page)
  await page.requestGC()
  const all = await residentMegabytes(browser)
  await session.send('Memory.simulatePressureNotification', { level: 'critical' })
  await page.waitForTimeout(1500)
  await page.requestGC()
  const { usedSize } = await session.send('Runtime.getHeapUsage')
  await session.detach()
  const own = await residentMegabytes(browser)
  return {
    memoryMB: Math.round(own),
    picturesMB: Math.round(Math.max(0, all - own)),
    heapMB: Math.round(usedSize / 1024 / 1024),
  }
}

/** Returns the resident memory of the page's process, without memory shared with other processes. */
async function residentMegabytes(browser: Browser): Promise<number> {
  const { processInfo } = await (await browser.newBrowserCDPSession()).send('SystemInfo.getProcessInfo')
  const sizes = processInfo
    .filter(({ type }) => type === 'renderer')
    .map(async ({ id }) => {
      const rollup = await readFile(`/proc/${id}/smaps_rollup`, 'utf8')
      return Number(/^Pss:\s+(\d+)/m.exec(rollup)?.[1] ?? 0) / 1024
    })
  return Math.max(...(await Promise.all(sizes)))
}

/** Returns a note with headings, prose, lists, tasks, a table, code and a quote. */
function largeNote(characters: number): string {
  const parts: string[] = []
  let length = 0
  for (let number = 0; length < characters; number += 1) {
    const part = `## ${number}. A day in the project\n\nWe met **Ann** about [[note ${number}]] and \`code ${number}\`; it took a while, and what was said is written down here at some length, so that it makes a paragraph of several lines.\n\n- one thing\n- another with a [link](https://example.com/${number})\n  - below it\n- [ ] a task ${number}\n\n| a | b |\n|---|---|\n| ${number} | two |\n\n\`\`\`ts\nexport const value${number} = ${number}\n\`\`\`\n\n> a quote ${number}\n\n`
    parts.push(part)
    length += part.length
  }
  return parts.join('')
}

const sizes = { '430kB': 430_000, '2MB': 2_000_000, '5MB': 5_000_000 }

async function typeInto(browser: Browser): Promise<void> {
  const prepare = async (workspace: string) => {
    await mkdir(workspace, { recursive: true })
    for (const [name, size] of Object.entries(sizes)) await writeFile(join(workspace, `${name}.md`), largeNote(size))
  }
  await withWorkspace(browser, prepare, async ({ page, errors }) => {
    for (const name of Object.keys(sizes)) {
      const start = performance.now()
      await goTo(page, `/file/${name}.md`)
      const pane = page.getByTestId('preview')
      await pane.getByRole('heading', { name: '0. A day in the project' }).waitFor()
      const shownMs = Math.round(performance.now() - start)
      await page.waitForTimeout(2000)
      await page.locator('.monaco-editor .view-line').nth(2).click()
      await page.keyboard.press('End')
      // Measures from the key press to the frame that shows it.
      await page.evaluate(() => {
        const delays: number[] = []
        Object.assign(window, { delays })
        const onKey = () => {
          const began = performance.now()
          requestAnimationFrame(() => setTimeout(() => delays.push(performance.now() - began)))
        }
        window.onkeydown = onKey
      })
      for (let stroke = 0; stroke < 60; stroke += 1) {
        await page.keyboard.press('x')
        await page.waitForTimeout(60)
      }
      const delays = await page.evaluate(() => (window as unknown as { delays: number[] }).delays.slice(-60))
      await pane.getByText('x'.repeat(60)).waitFor()
      const nodes = await pane.locator('*').count()
      const scrolled = await scrollThrough(page)
      const shown = {
        shownMs,
        typingP50: Math.round(quantile(delays, 0.5)),
        typingP95: Math.round(quantile(delays, 0.95)),
        nodes,
        ...scrolled,
        memoryMB: Math.round(await residentMegabytes(browser)),
      }
      process.stdout.write(
        `${name}: ${JSON.stringify(shown)}${errors.length > 0 ? ` ${errors.splice(0).join(' | ')}` : ''}\n`,
      )
    }
  })
}

/** Scrolls with the wheel, 300 px per step, then in jumps. */
async function scrollThrough(page: Page) {
  return page.getByTestId('preview').evaluate(async (pane) => {
    const gaps: number[] = []
    let most = 0
    let last = performance.now()
    const frame = () => new Promise<number>((resolve) => requestAnimationFrame(resolve))
    last = await frame()
    for (let step = 0; step < 300; step += 1) {
      pane.scrollTop += 60
      const now = await frame()
      gaps.push(now - last)
      last = now
      if (step % 20 === 0) most = Math.max(most, pane.querySelectorAll('*').length)
    }
    const sorted = gaps.toSorted((one, other) => one - other)
    const jumps: number[] = []
    for (let jump = 1; jump <= 20; jump += 1) {
      pane.scrollTop = (pane.scrollHeight * ((jump * 7) % 20)) / 20
      const began = performance.now()
      await frame()
      await frame()
      jumps.push(performance.now() - began)
      most = Math.max(most, pane.querySelectorAll('*').length)
      await new Promise((resolve) => setTimeout(resolve, 150))
    }
    return {
      scrollP95: Math.round(sorted[Math.floor(sorted.length * 0.95)] ?? 0),
      scrollMax: Math.round(sorted.at(-1) ?? 0),
      jumpMax: Math.round(Math.max(...jumps)),
      mostNodes: most,
    }
  })
}

const browser = await chromium.launch({ executablePath: findChromium(), args: [...chromiumFlags] })
try {
  for (const folder of positionals) await readAll(browser, folder)
  if (values.typing) await typeInto(browser)
} finally {
  await browser.close()
}
