/**
 * The id under which this window stores its drafts. It survives a reload and is unique even in a duplicated
 * tab, whose `sessionStorage` is a copy. Each open window holds a Web Lock with its id.
 */
const storageName = 'commonplace:window'
const lockName = (id: string) => `commonplace:window:${id}`
/**
 * Maximum wait for the lock, in ms. After a reload the old page releases it at once; if it stays locked, another
 * window has this id.
 */
const lockTimeoutMs = 1000

let id = sessionStorage.getItem(storageName) ?? crypto.randomUUID()

/** Returns this window's id. It can change until `idReady` resolves. */
export function windowId(): string {
  return id
}

/** Resolves when the id is final. Before that, it may change. */
export const idReady: Promise<void> = claimId()

/** Returns true if an open window of this browser has this id. */
export async function isWindowOpen(writer: string): Promise<boolean> {
  if (writer === id) return true
  const { held = [] } = await navigator.locks.query()
  return held.some(({ name }) => name === lockName(writer))
}

async function claimId(): Promise<void> {
  sessionStorage.setItem(storageName, id)
  if (await tryLock(id)) return
  id = crypto.randomUUID()
  sessionStorage.setItem(storageName, id)
  await tryLock(id)
}

function tryLock(candidateId: string): Promise<boolean> {
  return new Promise((resolve) => {
    const holdForever = () => {
      resolve(true)
      return new Promise<never>(() => undefined)
    }
    navigator.locks
      .request(lockName(candidateId), { signal: AbortSignal.timeout(lockTimeoutMs) }, holdForever)
      .catch(() => resolve(false))
  })
}
