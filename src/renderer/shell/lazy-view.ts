import { lazy, type ComponentType } from 'react'

/** How long the window is left to itself first, ms. */
const restMs = 3000

const loaders: (() => Promise<unknown>)[] = []

export function laterView<Props>(load: () => Promise<ComponentType<Props>>) {
  const loadOnce = once(load)
  loaders.push(loadOnce)
  return lazy(async () => ({ default: await loadOnce() }))
}

/** One after the other, whenever nothing else is to be done. What fails is asked for again by who goes there. */
export function loadViewsAtRest(): () => void {
  let isStopped = false
  const timer = setTimeout(async () => {
    for (const load of loaders) {
      await new Promise<void>((resolve) => requestIdleCallback(() => resolve()))
      if (isStopped) return
      await load().catch(() => undefined)
    }
  }, restMs)
  return () => {
    isStopped = true
    clearTimeout(timer)
  }
}

/** What failed is tried again. */
function once<T>(work: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | undefined
  return () => {
    running ??= work().catch((error: unknown) => {
      running = undefined
      throw error
    })
    return running
  }
}
