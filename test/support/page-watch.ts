/**
 * Watches a page while it shows what it was given: how long the window stood still, whether anything is to be seen, and
 * what broke. Navigation is the app's own, so that one page can be shown hundreds of documents.
 */
import type { Page } from 'playwright-core'

export interface Sight {
  /** Longest task of the window's thread, and longest time between two frames, ms. */
  readonly longestTask: number
  readonly longestFrame: number
  /** Characters of text in the open view. */
  readonly characters: number
  /** Elements in the whole window. */
  readonly elements: number
  /** Pieces that say that they broke. */
  readonly broken: number
  /** Pieces that are shown as plain text. */
  readonly plain: number
  /** The sidebar, the view and the status bar are there. */
  readonly isWhole: boolean
}

/** Installed before the app's own code. */
export async function watchPage(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const watch = { task: 0, frame: 0, last: performance.now() }
    Object.assign(window, { watch })
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) watch.task = Math.max(watch.task, duration)
    }).observe({ type: 'longtask' })
    const tick = (at: number) => {
      watch.frame = Math.max(watch.frame, at - watch.last)
      watch.last = at
      requestAnimationFrame(tick)
    }
    requestAnimationFrame(tick)
  })
}

/** Goes to a place inside the app. */
export function goTo(page: Page, place: string): Promise<void> {
  return page.evaluate((to) => {
    const { watch } = window as unknown as { watch: { task: number; frame: number } }
    watch.task = 0
    watch.frame = 0
    history.pushState(null, '', to)
  }, place)
}

/** Waits until the window has been quiet for so long, then tells what it shows. @param maxMs it may take to come to rest */
export function lookAt(page: Page, quietMs = 90, maxMs = 20_000): Promise<Sight> {
  return page.evaluate(
    ({ quiet, most }) =>
      new Promise<Sight>((resolve) => {
        const { watch } = window as unknown as { watch: { task: number; frame: number } }
        const start = performance.now()
        let changed = start
        const changes = new MutationObserver(() => (changed = performance.now()))
        changes.observe(document.body, { subtree: true, childList: true })
        const check = () => {
          const now = performance.now()
          const isLoading = document.querySelector('main .animate-pulse') !== null
          if ((now - changed < quiet || isLoading) && now - start < most) return void setTimeout(check, 30)
          changes.disconnect()
          const main = document.querySelector('main')
          resolve({
            longestTask: watch.task,
            longestFrame: watch.frame,
            characters: main?.textContent?.length ?? 0,
            elements: document.querySelectorAll('*').length,
            broken: document.querySelectorAll('[data-testid=broken]').length,
            plain: document.querySelectorAll('[data-testid=plain]').length,
            isWhole: ['nav', 'main > *', 'footer'].every((part) => document.querySelector(part) !== null),
          })
        }
        setTimeout(check, 30)
      }),
    { quiet: quietMs, most: maxMs },
  )
}
