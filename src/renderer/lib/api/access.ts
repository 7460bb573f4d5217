/**
 * How a page proves that this browser was let in. The address that the terminal shows leads here with a key in the
 * fragment; the page keeps it in the storage of exactly this origin, so that reloads, restored tabs and further tabs
 * find it, and no page of another port does. Without the browser's cookie it opens nothing.
 */

const storageName = 'commonplace:key'
const inFragment = /^#key=([\w-]{20,100})$/

/** The key of this browser; empty when it has none. */
export function keptKey(): string {
  return localStorage.getItem(storageName) ?? ''
}

/**
 * Takes the key out of the address, if one is there, and keeps it. Anybody's link can bring one along: it takes the place
 * of another only if it is right.
 */
export async function adoptKey(): Promise<void> {
  const key = inFragment.exec(location.hash)?.[1]
  if (key === undefined) return
  history.replaceState(history.state, '', location.pathname + location.search)
  if (key === keptKey()) return
  // At once where there is none to lose: the page may be left before anybody answers.
  if (keptKey() === '' || (await checkAccess(key)) === 'allowed') localStorage.setItem(storageName, key)
}

/** Asks whether a key opens the memory; a socket that is refused does not say why. */
export async function checkAccess(key: string): Promise<'allowed' | 'refused' | 'unknown'> {
  try {
    const { status } = await fetch('/rpc', { headers: { 'Commonplace-Key': key }, cache: 'no-store' })
    return status === 204 ? 'allowed' : status === 401 ? 'refused' : 'unknown'
  } catch {
    // Nobody answers: the runtime is gone, for now.
    return 'unknown'
  }
}

/** How long somebody may take to answer anything at all, in ms. */
const answerMs = 3000

/** True when somebody answers, whatever it is. */
export async function isAnswering(): Promise<boolean> {
  try {
    const headers = { 'Commonplace-Key': keptKey() }
    await fetch('/rpc', { headers, cache: 'no-store', signal: AbortSignal.timeout(answerMs) })
    return true
  } catch {
    return false
  }
}

/** @returns what ends it */
export function onKeyChange(listener: () => void): () => void {
  const look = ({ key }: StorageEvent) => {
    if (key === storageName) listener()
  }
  window.addEventListener('storage', look)
  return () => window.removeEventListener('storage', look)
}
