import { lazy, type ComponentType } from 'react'

/** Delay before views are preloaded, in ms. */
const idleDelayMs = 3000

const loaders: (() => Promise<unknown>)[] = []

/** Wraps a view that loads when it is first rendered, or earlier through `preloadViewsWhenIdle`. */
export function lazyView<Props>(load: () => Promise<ComponentType<Props>>) {
  const loadOnce = once(load)
  loaders.push(loadOnce)
  return lazy(async () => ({ default: await loadOnce() }))
}

/**
 * Preloads the views one by one while the window is idle. A failed load is retried when the view opens.
 * @returns a function that stops it
 */
export function preloadViewsWhenIdle(): () => void {
  let isStopped = false
  const timer = setTimeout(async () => {
    for (const load of loaders) {
      await new Promise<void>((resolve) => requestIdleCallback(() => resolve()))
      if (isStopped) return
      await load().catch(() => undefined)
    }
  }, idleDelayMs)
  return () => {
    isStopped = true
    clearTimeout(timer)
  }
}

/** Returns a function that calls `work` once; after a failure, the next call tries again. */
function once<T>(work: () => Promise<T>): () => Promise<T> {
  let pending: Promise<T> | undefined
  return () => {
    pending ??= work().catch((error: unknown) => {
      pending = undefined
      throw error
    })
    return pending
  }
}
