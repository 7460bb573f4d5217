/**
 * Types in every view of the built app in a browser, on a copy of a real vault. Measures the time from each key press
 * to its frame, and in the search to the results.
 *
 *   node test/vaults/typing.ts [--wait 600] [--only search] FOLDER…
 *
 * `--wait`: longest wait for the vectors of a vault, seconds; then types without them. `--only`: views with this in
 * their name.
 */
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { chromium, type Page } from 'playwright-core'
import { startServer } from '../../src/main/app/server/start-server.ts'
import type { ContractClient } from '../../src/shared/contract/index.ts'
import { quantile } from '../bench/figures.ts'
import { mainFolder } from '../support/built.ts'
import { chromiumFlags, findChromium } from '../support/chromium.ts'
import { connect } from '../support/client.ts'
import { goTo, lookAt, watchPage } from '../support/page-watch.ts'

const { values, positionals } = parseArgs({
  options: { wait: { type: 'string', default: '600' }, only: { type: 'string', default: '' } },
  allowPositionals: true,
})

/** People type five to ten keys per second. */
const keyEveryMs = 120

/** If the embeddings take longer, measures without vector search, ms. */
const meaningWithinMs = Number(values.wait) * 1000

const fields = [
  ['chat', '/', 'textarea'],
  ['search', '/search', 'main input'],
  ['find', '/find', 'main input'],
  ['filter of files', '/changes', 'nav [role="searchbox"]'],
  ['settings', '/settings', 'main input[type="search"]'],
  ['forget', '/forget', 'main input'],
  ['capture', '/capture', 'textarea'],
] as const

const words = 'how are daily notes linked to the plugins of a vault'

async function measure(folder: string): Promise<void> {
  const root = await mkdtemp(join(tmpdir(), 'typing-'))
  const [vault, home] = [join(root, 'vault'), join(root, 'state')]
  await cp(folder, vault, { recursive: true, filter: (path) => basename(path) !== '.git' })
  await mkdir(home)
  await writeFile(join(home, 'config.yaml'), `agents:\n  list: [{ id: main, workspace: "${vault}" }]\n`)
  const server = await startServer({ mainFolder, env: {}, home })
  const browser = await chromium.launch({ executablePath: findChromium(), args: [...chromiumFlags] })
  try {
    const client = await connect(server.url)
    await searchable(client)
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 } })
    await watchPage(page)
    await page.addInitScript(() => localStorage.setItem('commonplace.file.preview', 'yes'))
    await page.goto(server.url)
    await page.getByRole('textbox', { name: 'Message' }).waitFor()
    await page.waitForTimeout(6000)
    await watchKeys(page)
    for (const [name, place, field] of fields) await attempt(name, () => typeInField(page, name, place, field))
    const largest = (await client.workspace.list({ agent: 'main' })).toSorted((one, other) => other.size - one.size)[0]
    if (largest) await attempt('editor', () => typeInEditor(page, largest.path, largest.size))
    await attempt('search, key to results', async () => {
      await goTo(page, '/search')
      tell('search, key to results', await results(page))
    })
  } finally {
    await browser.close()
    await server.close()
    await rm(root, { recursive: true, force: true })
  }
}

/** Waits for keyword search, and up to `meaningWithinMs` for vector search. */
async function searchable(client: ContractClient): Promise<void> {
  const began = performance.now()
  for (;;) {
    const { state, files, embedded, units } = await client.search.status({ agent: 'main' })
    const took = performance.now() - began
    const isKnown = embedded >= units
    if (state === 'ready' && files > 0 && (isKnown || took > meaningWithinMs)) {
      process.stdout.write(`  ${files} notes, ${embedded} of ${units} units by meaning, ${Math.round(took / 1000)} s\n`)
      return
    }
    await sleep(200)
  }
}

/** Runs one measurement. An error in one view does not stop the others. */
async function attempt(name: string, what: () => Promise<void>): Promise<void> {
  if (!name.includes(values.only)) return
  try {
    await what()
  } catch (error) {
    process.stdout.write(`  ${name}: ${String(error).split('\n')[0]}\n`)
    process.exitCode = 1
  }
}

async function typeInField(page: Page, name: string, place: string, field: string): Promise<void> {
  await goTo(page, place)
  const box = page.locator(field).first()
  await box.waitFor({ timeout: 10_000 })
  await lookAt(page)
  await box.click()
  tell(name, await typed(page, words))
  await box.fill('')
}

async function typeInEditor(page: Page, path: string, size: number): Promise<void> {
  await goTo(page, `/file/${path.split('/').map(encodeURIComponent).join('/')}`)
  await page.getByTestId('preview').waitFor()
  await lookAt(page)
  await page.locator('.monaco-editor .view-line').nth(2).click()
  await page.keyboard.press('End')
  tell(`editor, ${Math.round(size / 1024)} kB with preview`, await typed(page, ` ${words}`))
}

function tell(name: string, delays: readonly number[]): void {
  const at = (share: number) => Math.round(quantile(delays, share))
  const figures = delays.length === 0 ? 'nothing measured' : `p50 ${at(0.5)} ms, p95 ${at(0.95)} ms, most ${at(1)} ms`
  process.stdout.write(`  ${name}: ${figures}\n`)
}

/** Measures from the key press to the frame that shows it. */
async function watchKeys(page: Page): Promise<void> {
  await page.evaluate(() => {
    const delays: number[] = []
    Object.assign(window, { delays })
    addEventListener(
      'keydown',
      (event) => {
        const began = Math.min(performance.now(), event.timeStamp)
        requestAnimationFrame(() => setTimeout(() => delays.push(performance.now() - began)))
      },
      true,
    )
  })
}

async function typed(page: Page, text: string): Promise<number[]> {
  await page.evaluate(() => void ((window as unknown as { delays: number[] }).delays.length = 0))
  await page.keyboard.type(text, { delay: keyEveryMs })
  await page.waitForTimeout(300)
  return page.evaluate(() => [...(window as unknown as { delays: number[] }).delays])
}

/**
 * Measures from the last key of a word to the frame with its results, debounce included. The results are marked as busy
 * until they are shown.
 */
async function results(page: Page): Promise<number[]> {
  const box = page.locator(fields[1][2]).first()
  await box.click()
  const delays: number[] = []
  for (const word of `${words} template canvas publish sync graph theme image export hotkey markdown`.split(' ')) {
    await box.fill('')
    // A second word makes each query new: earlier ones are cached.
    await page.keyboard.type(`words ${word.slice(0, -1)}`, { delay: keyEveryMs })
    await page.waitForTimeout(600)
    await watchResults(page)
    await page.keyboard.type(word.slice(-1))
    const delay = await page.evaluate(() => (window as unknown as { shown: Promise<number> }).shown)
    if (Number.isFinite(delay)) delays.push(delay)
    else process.stdout.write(`  no results came for ${word}\n`)
  }
  return delays
}

async function watchResults(page: Page): Promise<void> {
  await page.evaluate(() => {
    Object.assign(window, {
      shown: new Promise<number>((resolve) => {
        let began = 0
        let wasBusy = false
        const isBusy = () => document.querySelector('main [aria-busy=true]') !== null
        const observer = new MutationObserver(() => {
          if (isBusy()) wasBusy = true
          else if (began > 0 && wasBusy) end(() => performance.now() - began)
        })
        const end = (delay: () => number) => {
          observer.disconnect()
          clearTimeout(timer)
          requestAnimationFrame(() => setTimeout(() => resolve(delay())))
        }
        const timer = setTimeout(() => end(() => Number.NaN), 5000)
        addEventListener('keydown', ({ timeStamp }) => (began = timeStamp), { once: true, capture: true })
        observer.observe(document.body, { subtree: true, childList: true, characterData: true, attributes: true })
      }),
    })
  })
}

for (const folder of positionals) {
  process.stdout.write(`${folder}\n`)
  await measure(folder)
}
