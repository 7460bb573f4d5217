/**
 * This window by a name of its own, under which its drafts are kept: the same after a reload, another one in every other
 * window, also in one that was made as a copy of this one. As long as a window is there it holds a lock of its name.
 */
const storageName = 'commonplace:window'
const lockName = (id: string) => `commonplace:window:${id}`
/** The page before a reload lets go of its name at once; one that does not within this time is another window, ms. */
const patienceMs = 1000

let id = sessionStorage.getItem(storageName) ?? crypto.randomUUID()

export function windowId(): string {
  return id
}

/** Until then the name may turn out to be another window's. */
export const isNamed: Promise<void> = claim()

/** Whether a window of this browser has that name and is open. */
export async function isOpen(writer: string): Promise<boolean> {
  if (writer === id) return true
  const { held = [] } = await navigator.locks.query()
  return held.some(({ name }) => name === lockName(writer))
}

async function claim(): Promise<void> {
  sessionStorage.setItem(storageName, id)
  if (await hold(id)) return
  id = crypto.randomUUID()
  sessionStorage.setItem(storageName, id)
  await hold(id)
}

/** @returns false when another window has it */
function hold(name: string): Promise<boolean> {
  return new Promise((resolve) => {
    const forever = () => {
      resolve(true)
      return new Promise<never>(() => undefined)
    }
    navigator.locks
      .request(lockName(name), { signal: AbortSignal.timeout(patienceMs) }, forever)
      .catch(() => resolve(false))
  })
}
