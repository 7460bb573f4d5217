/**
 * Increments a counter in a file under a lock, or holds the lock until it is killed: `lock-counter FOLDER TIMES|hold`.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { FileLock } from '../../src/main/platform/fs/mutex.ts'

const [folder = '', times = '1'] = process.argv.slice(2)
const lock = new FileLock(join(folder, 'lock'))
const file = join(folder, 'count')
if (times === 'hold') await lock.withLock(() => sleep(60_000))
for (let turn = 0; turn < Number(times); turn += 1)
  await lock.withLock(async () => {
    const count = existsSync(file) ? Number(readFileSync(file, 'utf8')) : 0
    await sleep(0)
    writeFileSync(file, String(count + 1))
  })
lock.close()
process.disconnect()
