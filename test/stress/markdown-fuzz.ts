/**
 * Shows hundreds of hostile documents in a real browser, as chat answers and as files with preview, and opens hostile
 * file names by URL and from the tree. Prints a summary; exits with 1 if a view was blank, the window was blocked for
 * over a second, or something broke.
 *
 *     node test/stress/markdown-fuzz.ts [--documents 500] [--seed 1] [--only PART-OF-A-NAME|names]
 */
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { chromium, type Page } from 'playwright-core'
import { startServer } from '../../src/main/app/server/start-server.ts'
import { build } from '../support/build.ts'
import { chromiumFlags, findChromium } from '../support/chromium.ts'
import {
  hostileNames,
  longNote,
  mutated,
  pathologicalDocuments,
  randomBytes,
  randomDocument,
  transcriptOf,
  type HostileDocument,
} from '../support/hostile-markdown.ts'
import { goTo, lookAt, watchPage, type Sight } from '../support/page-watch.ts'

/** Longest permitted time in which the window is blocked, ms. */
const maxBlocked = 1000
/** Opens a new page after this many documents, so that effects of one document do not affect all later ones. */
const documentsPerPage = 60
const attempts = 3

const { values } = parseArgs({
  options: {
    documents: { type: 'string', default: '500' },
    seed: { type: 'string', default: '1' },
    only: { type: 'string', default: '' },
  },
})

interface Seen extends Sight {
  readonly name: string
  readonly way: 'answer' | 'file' | 'name'
  readonly ms: number
}

build()
const root = mkdtempSync(join(tmpdir(), 'commonplace-fuzz-'))
const home = join(root, 'state')
const workspace = join(root, 'workspace')
const documents = documentsOf(Number(values.documents), Number(values.seed)).filter(({ name }) =>
  name.includes(values.only),
)
const names = ['', 'names'].includes(values.only) ? hostileNames() : []
const writtenNames = writeFolders(documents, names)
const mainFolder = new URL('../../src/main/', import.meta.url)
const server = await startServer({ mainFolder, env: {}, home })
const browser = await chromium.launch({ executablePath: findChromium(), args: [...chromiumFlags] })
const failures: string[] = []
const seen: Seen[] = []
const refused: string[] = []
try {
  let page = await openPage()
  for (const [index, { name, text }] of documents.entries()) {
    if (index % 25 === 0)
      process.stderr.write(`${index} of ${documents.length} after ${Math.round(performance.now() / 1000)} s\n`)
    if (index > 0 && index % documentsPerPage === 0) {
      await page.close()
      page = await openPage()
    }
    // Named documents as answer and as file, generated ones alternately.
    const ways = name.startsWith('seed ')
      ? ([Math.floor(index / 4) % 2 === 0 ? 'answer' : 'file'] as const)
      : (['answer', 'file'] as const)
    for (const way of ways) {
      try {
        // Slow documents are measured again, because other work on the machine blocks the window too.
        for (let attempt = 1; ; attempt += 1) {
          const start = performance.now()
          const sight = await (way === 'answer' ? showAnswer(page, index) : showFile(page, index))
          const isSlow = Math.max(sight.longestTask, sight.longestFrame) > maxBlocked
          if (!isSlow || attempt === attempts) {
            note({ ...sight, name, way, ms: performance.now() - start }, text)
            break
          }
          await page.close()
          page = await openPage()
        }
      } catch (error) {
        fail(`${way}, ${name}: ${error instanceof Error ? error.message.split('\n', 1)[0] : String(error)}`)
        await page.close()
        page = await openPage()
      }
    }
  }
  await page.close()
  page = await openPage()
  if (writtenNames.length > 0)
    await page
      .getByRole('navigation')
      .getByRole('button', { name: /^names/ })
      .click()
  for (const name of writtenNames) {
    const start = performance.now()
    try {
      const sight = await openName(page, name)
      note({ ...sight, name: JSON.stringify(name), way: 'name', ms: performance.now() - start }, 'x')
    } catch (error) {
      fail(`name, ${JSON.stringify(name)}: ${error instanceof Error ? error.message.split('\n', 1)[0] : String(error)}`)
    }
  }
} finally {
  await browser.close()
  await server.close()
  rmSync(root, { recursive: true, force: true })
}
report()

async function openPage(): Promise<Page> {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 }, locale: 'en-US' })
  page.on('pageerror', (error) => fail(`uncaught: ${error.message}`))
  page.on('crash', () => fail('the page crashed'))
  await watchPage(page)
  await page.goto(server.url)
  await page.getByRole('textbox', { name: 'Message' }).waitFor()
  // Loads the editor and its worker before the first measurement.
  await goTo(page, '/file/MEMORY.md')
  await page.locator('.monaco-editor .view-lines').waitFor()
  return page
}

async function showAnswer(page: Page, index: number): Promise<Sight> {
  await goTo(page, `/chat/d${index}`)
  await page.locator('[data-testid=answer], [data-testid=broken], article').first().waitFor({ state: 'attached' })
  return lookAt(page)
}

async function showFile(page: Page, index: number): Promise<Sight> {
  await goTo(page, `/file/fuzz/d${index}.md`)
  const preview = page.getByRole('button', { name: 'Preview', exact: true })
  // The view shows an error for files with a zero byte.
  const refusal = page.locator('main [role=alert]')
  await preview.or(refusal).first().waitFor({ timeout: 15_000 })
  if ((await preview.count()) > 0) await preview.click({ timeout: 15_000 })
  return lookAt(page)
}

/** Opens a file by its URL. The selected row of the tree must be this file's, with a link to it. */
async function openName(page: Page, name: string): Promise<Sight> {
  await goTo(page, '/search')
  await goTo(page, `/file/names/${encodeURIComponent(name)}`)
  const content = page.locator('.monaco-editor .view-lines', { hasText: 'content of' })
  // A name that cannot be a path everywhere (a backslash) is refused in words.
  const refusal = page.locator('main [role=alert], main', { hasText: /outside the workspace|does not exist|cannot/ })
  await content.or(refusal).first().waitFor({ timeout: 10_000 })
  if ((await content.count()) === 0) refused.push(name)
  const sight = await lookAt(page, 60)
  const current = page.locator('nav a[aria-current=page]')
  if ((await current.count()) !== 1) fail(`not marked in the tree: ${JSON.stringify(name)}`)
  else {
    const href = await current.getAttribute('href')
    if (href !== `/file/names/${encodeURIComponent(name)}`)
      fail(`the tree leads elsewhere: ${JSON.stringify(name)} → ${href}`)
  }
  return sight
}

/** Also printed immediately, because a run takes minutes. */
function fail(words: string): void {
  failures.push(words)
  process.stderr.write(`${words}\n`)
}

function note(one: Seen, text: string): void {
  seen.push(one)
  const wrong = [
    one.isWhole ? '' : 'the frame is incomplete',
    one.characters === 0 && text.trim() !== '' ? 'blank' : '',
    one.broken > 0 ? `${one.broken} broken parts` : '',
    Math.max(one.longestTask, one.longestFrame) > maxBlocked
      ? `was blocked for ${Math.round(Math.max(one.longestTask, one.longestFrame))} ms`
      : '',
  ].filter(Boolean)
  if (wrong.length > 0) fail(`${one.way}, ${one.name}: ${wrong.join(', ')}`)
}

function documentsOf(count: number, seed: number): HostileDocument[] {
  const known = [
    ...pathologicalDocuments(),
    { name: 'a note of 430 kB', text: longNote(430_000) },
    { name: 'a note of 2 MB', text: longNote(2_000_000) },
  ]
  const readmes = globSync('*/README.md', { cwd: fileURLToPath(new URL('../../node_modules/', import.meta.url)) })
    .sort()
    .map((path) => readFileSync(new URL(`../../node_modules/${path}`, import.meta.url), 'utf8'))
  const random = Array.from({ length: Math.max(0, count - known.length) }, (_, index): HostileDocument => {
    const number = seed * 100_000 + index
    const readme = readmes[(index * 31) % readmes.length] ?? ''
    switch (index % 4) {
      case 0:
        return { name: `seed ${number}, random`, text: randomDocument(number) }
      case 1:
        return { name: `seed ${number}, bytes`, text: randomBytes(number) }
      default:
        return { name: `seed ${number}, mutated`, text: mutated(readme, number) }
    }
  })
  return [...known, ...random]
}

/** @returns the names that the file system accepted */
function writeFolders(all: readonly HostileDocument[], fileNames: readonly string[]): string[] {
  for (const folder of ['fuzz', 'names']) mkdirSync(join(workspace, folder), { recursive: true })
  mkdirSync(join(home, 'agents/main/sessions'), { recursive: true })
  writeFileSync(join(workspace, 'MEMORY.md'), '# Memory\n')
  writeFileSync(join(home, 'config.yaml'), `agents:\n  list: [{ id: main, workspace: "${workspace}" }]\n`)
  for (const [index, { text }] of all.entries()) {
    writeFileSync(join(workspace, `fuzz/d${index}.md`), text)
    writeFileSync(join(home, `agents/main/sessions/d${index}.jsonl`), transcriptOf(`d${index}`, [text]))
  }
  return fileNames.filter((name) => {
    try {
      writeFileSync(join(workspace, 'names', name), `content of ${JSON.stringify(name)}\n`)
      return true
    } catch (error) {
      if (error instanceof Error) return false
      throw error
    }
  })
}

function report(): void {
  const slowest = (by: 'longestTask' | 'longestFrame') => seen.toSorted((one, other) => other[by] - one[by]).slice(0, 8)
  const line = (text: string) => process.stdout.write(`${text}\n`)
  line(
    `documents: ${documents.length}, shown ${seen.filter(({ way }) => way !== 'name').length} times; file names: ${writtenNames.length}`,
  )
  if (refused.length > 0)
    line(`names refused with a message: ${refused.map((name) => JSON.stringify(name)).join(', ')}`)
  line(`blank views: ${seen.filter(({ isWhole, characters }) => !isWhole || characters === 0).length}`)
  line(`shown in part as plain text: ${seen.filter(({ plain }) => plain > 0).length}`)
  line(`most elements in the window: ${Math.max(...seen.map(({ elements }) => elements))}`)
  line(
    `longest task: ${Math.round(slowest('longestTask')[0]?.longestTask ?? 0)} ms; longest frame: ${Math.round(slowest('longestFrame')[0]?.longestFrame ?? 0)} ms`,
  )
  for (const { name, way, longestTask, longestFrame, ms, elements } of slowest('longestFrame'))
    line(
      `  ${Math.round(longestFrame)} ms frame, ${Math.round(longestTask)} ms task, ${Math.round(ms)} ms in all, ${elements} elements: ${way}, ${name}`,
    )
  line(`failures: ${failures.length}`)
  for (const failure of failures.slice(0, 60)) line(`  ${failure}`)
  process.exitCode = failures.length > 0 ? 1 : 0
}
