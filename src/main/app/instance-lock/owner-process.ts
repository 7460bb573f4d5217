import { existsSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { AppOptions } from '../composition/create-app.ts'
import { HostProcess } from './host-process.ts'

const checkMs = 500
/** Time for taking the lock over from a command that ends, ms. */
const takeOverMs = 5000
/** Time without a program after which the process ends, s; `COMMONPLACE_OWNER_SECONDS` sets another one. */
const idleSeconds = 300

/**
 * Keeps the memory open for programs. Relays start this process if no other one has the memory open; it ends some time
 * after the last program, if another process holds the lock, or if the state folder is gone.
 */
export async function keepMemoryOpen(options: AppOptions): Promise<void> {
  const hostProcess = await HostProcess.open(options, 'owner')
  const signalled = new AbortController()
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(name, () => signalled.abort())
  const idleMs = Number(options.env['COMMONPLACE_OWNER_SECONDS'] ?? idleSeconds) * 1000
  let usedAt = performance.now()
  while (!signalled.signal.aborted && existsSync(hostProcess.base.folders.home)) {
    const programs = await hostProcess.programs()
    const limitMs = programs === undefined ? takeOverMs : idleMs
    if (programs !== undefined && programs > 0) usedAt = performance.now()
    else if (performance.now() - usedAt > limitMs) break
    await sleep(checkMs, undefined, { signal: signalled.signal }).catch(() => undefined)
  }
  await hostProcess.close()
}
