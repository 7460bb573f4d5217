/**
 * Takes the pictures of the README and the tour from the demo: `npm run pictures`, after a build. Look at them before
 * committing.
 */
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { chromium, type Page } from 'playwright-core'
import { startServer } from '../../src/main/app/server/start-server.ts'
import { openDemo } from '../../src/main/demo.mjs'
import { mainFolder } from './built.ts'
import { chromiumFlags, findChromium } from './chromium.ts'
import { connect } from './client.ts'

const folder = fileURLToPath(new URL('../../docs/images/', import.meta.url))
type Clip = NonNullable<NonNullable<Parameters<Page['screenshot']>[0]>['clip']>

const size = { width: 1200, height: 750 }
/** The pictures show this time and this path. */
const now = new Date(2026, 10, 20, 14, 5)
const home = join(tmpdir(), 'nora')

await openDemo(home, { language: 'en', now })
const server = await startServer({ mainFolder, env: {}, home, now: () => now })
const browser = await chromium.launch({ executablePath: findChromium(), args: [...chromiumFlags] })
try {
  const client = await connect(server.url)
  await client.search.settle({ agent: 'main', vectors: true })
  const page = await browser.newPage({ viewport: size, locale: 'en-US', colorScheme: 'light' })
  await page.clock.setFixedTime(now)
  await page.goto(server.url)
  await takeTour(page)
  for (const theme of ['light', 'dark'] as const) {
    await client.settings.set({ path: ['interface', 'theme'], value: theme })
    await page.locator(`html[data-theme=${theme}]`).waitFor()
    await openRecalled(page)
    await take(page, `chat-${theme}`)
  }
} finally {
  await browser.close()
  await server.close()
  await rm(home, { recursive: true, force: true, maxRetries: 5 })
}

async function takeTour(page: Page): Promise<void> {
  await page.getByRole('heading', { name: 'Today’s log' }).waitFor()
  await take(page, 'tour-1-start')
  await openRecalled(page)
  await take(page, 'tour-2-ask')
  await open(page, 'Moving Ferryline to Hetzner')
  await open(page, /^Inspect/)
  await page.getByTestId('context-total').waitFor()
  await page.getByText('Show as table').scrollIntoViewIfNeeded()
  await take(page, 'tour-3-sent')
  await open(page, 'Found')
  await page.getByText('What the agent recalled').click()
  await page.getByText('“Why did we choose the database?”').click()
  await page.getByText('Open in Inspect').waitFor()
  await take(page, 'tour-4-recalled')
  await open(page, 'Tested')
  await page.getByText('2 of 2 pass').waitFor()
  await page.getByText('Show as table').click()
  await take(page, 'tour-5-tested')
  await open(page, /^Chat/)
  await open(page, /Iron tablets/)
  await page.getByRole('link', { name: 'health.md:8' }).last().waitFor()
  await take(page, 'tour-6-private')
  await open(page, /^Suggestions/)
  await page.getByText('Cello lessons with Ines are on Tuesdays').first().click()
  await take(page, 'tour-7-suggestion')
  await open(page, /^Chat/)
  await switchAgent(page, 'Nora’s notes', 'Allotment')
  await open(page, 'Where do the tomatoes go?')
  await page.getByRole('link', { name: 'beds.md:16' }).last().waitFor()
  await take(page, 'tour-8-agent')
  const start = page.url()
  await page.goto(new URL('/capture', start).href)
  await page.getByPlaceholder('What do you want to remember?').fill('Ruth needs her wheelbarrow back on Wednesday')
  await take(page, 'tour-9-capture', { x: 300, y: 225, width: 600, height: 300 })
  await page.goto(start)
  await switchAgent(page, 'Allotment', 'Nora’s notes')
}

async function switchAgent(page: Page, from: string, to: string): Promise<void> {
  await page.getByText(from).first().click()
  await page.getByRole('menu').getByText(to).click()
}

/** Opens the chat with recalled notes, and the notes. */
async function openRecalled(page: Page): Promise<void> {
  await open(page, 'Why PostgreSQL')
  await page.getByText('SQLite was out').first().waitFor()
  const recalled = page.getByTestId('recalled').first()
  if ((await recalled.getAttribute('open')) === null) await recalled.locator('summary').click()
  await recalled.getByTestId('result').first().waitFor()
  await page.getByText('Why did we choose the database?').first().scrollIntoViewIfNeeded()
}

async function open(page: Page, name: string | RegExp): Promise<void> {
  await page.getByRole('link', { name }).first().click()
}

/** Takes a picture after all animations have ended. @param clip part of the page; default: all */
async function take(page: Page, name: string, clip?: Clip): Promise<void> {
  await page.mouse.move(0, 0)
  await page.waitForTimeout(600)
  await page.screenshot({ path: join(folder, `${name}.png`), ...(clip ? { clip } : {}) })
}
