/**
 * Watches a page while it renders a document: blocked time, visible content, and errors. Navigates within the app, so
 * that one page can show hundreds of documents.
 */
import type { Page } from 'playwright-core'

export interface Sight {
  /** Longest task of the main thread, and longest time between two frames, ms. */
  readonly longestTask: number
  readonly longestFrame: number
  /** Characters of text in the open view. */
  readonly characters: number
  /** Elements in the whole window. */
  readonly elements: number
  /** Parts that show an error. */
  readonly broken: number
  /** Parts that fell back to plain text. */
  readonly plain: number
  /** True if the sidebar, the view and the status bar exist. */
  readonly isWhole: boolean
}

/** Installs the observers before the app's own code runs. */
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

/** Navigates within the app. */
export function goTo(page: Page, place: string): Promise<void> {
  return page.evaluate((to) => {
    const { watch } = window as unknown as { watch: { task: number; frame: number } }
    watch.task = 0
    watch.frame = 0
    history.pushState(null, '', to)
  }, place)
}

/** Waits until the page has been idle for `quietMs`, then reports its state. @param maxMs longest wait, ms */
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
