/** Opens pages of the browser that all e2e files share. */
import { join } from 'node:path'
import {
  chromium,
  type Browser,
  type BrowserContextOptions,
  type Download,
  type Locator,
  type Page,
} from 'playwright-core'
import { inject, onTestFinished } from 'vitest'
import { temporaryFolder, until } from './folder.ts'

let connected: Promise<Browser> | undefined

/** @param expected errors that the page may report because the test causes them */
export async function openPage(options: BrowserContextOptions = {}, expected?: RegExp): Promise<Page> {
  connected ??= chromium.connect(inject('browserEndpoint'))
  const browser = await connected
  const look = { viewport: { width: 1440, height: 900 }, locale: 'en-US', reducedMotion: 'reduce' } as const
  const context = await browser.newContext({ ...look, ...options })
  const page = await context.newPage()
  const problems: string[] = []
  page.on('pageerror', (error) => problems.push(error.stack ?? error.message))
  page.on('console', (message) => {
    if (message.type() === 'error') problems.push(message.text())
  })
  onTestFinished(async () => {
    await context.close()
    const unexpected = problems.filter((problem) => !expected?.test(problem))
    if (unexpected.length > 0) throw new Error(`the page reported: ${unexpected.join('; ')}`)
  })
  return page
}

/**
 * Opens a view as the first page of a new context, with one load.
 * @param url address with the access token
 * @param place path and query, without an anchor: the token's redirect uses the anchor
 */
export async function enter(page: Page, url: string, place: string): Promise<void> {
  const address = new URL(place, url)
  address.searchParams.set('token', new URL(url).searchParams.get('token') ?? '')
  await page.goto(address.href)
}

/** Goes to another view as a link does, without loading the page again. */
export function visit(page: Page, place: string): Promise<void> {
  return page.evaluate((to) => history.pushState(null, '', to), place)
}

/** Focuses an element for key presses. A busy Chromium drops the first key after the focus has moved: that is Shift. */
export async function focusForKeys(element: Locator): Promise<void> {
  await element.focus()
  await element.page().keyboard.press('Shift')
}

/** Presses a key on an element until another one is visible: a page that is still loading can move the focus away. */
export async function pressUntil(element: Locator, key: string, shown: Locator): Promise<void> {
  const isShown = () =>
    shown.waitFor({ timeout: 2000 }).then(
      () => true,
      () => false,
    )
  await until(async () => {
    await focusForKeys(element)
    await element.page().keyboard.press(key)
    return isShown()
  }, 30_000)
}

/** @param text part of the toast */
export function undoInToast(page: Page, text = ''): Promise<void> {
  const toast = page.locator('[data-sonner-toast]', { hasText: text })
  return toast.getByRole('button', { name: 'Undo' }).first().click()
}

/** Saves a download. @returns its path; the browser may store its own copy elsewhere */
export async function saved(download: Download): Promise<string> {
  const path = join(await temporaryFolder(), 'download')
  await download.saveAs(path)
  return path
}
