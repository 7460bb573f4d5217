/** Uses real files and real processes. */
import { fork } from 'node:child_process'
import { chmod, mkdir, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import {
  appendDurably,
  isTemporaryFile,
  scheduleCleanup,
  writeDurably,
} from '../../../src/main/platform/fs/durable-write.ts'
import { FileLock, LockBusyError } from '../../../src/main/platform/fs/mutex.ts'
import { KeyedQueue } from '../../../src/main/platform/fs/work-queue.ts'
import { temporaryFolder, until } from '../../support/folder.ts'

const counter = fileURLToPath(new URL('../../support/lock-counter.ts', import.meta.url))

describe('durable writes', () => {
  it('replaces a file completely, keeps its mode and leaves no temporary file', async () => {
    const folder = await temporaryFolder()
    const file = join(folder, 'deep', '笔记 📝.md')
    await writeDurably(file, 'one')
    await chmod(file, 0o640)
    await writeDurably(file, 'two')
    expect(await readFile(file, 'utf8')).toBe('two')
    expect((await stat(file)).mode & 0o777).toBe(0o640)
    expect(await readdir(join(folder, 'deep'))).toEqual(['笔记 📝.md'])
  })

  it('keeps the old file and leaves no temporary file if the rename fails', async () => {
    const folder = await temporaryFolder()
    await mkdir(join(folder, 'taken', 'child'), { recursive: true })
    await expect(writeDurably(join(folder, 'taken'), 'text')).rejects.toThrow(/EISDIR|ENOTEMPTY|EEXIST/)
    expect(await readdir(folder)).toEqual(['taken'])
  })

  it('recognizes only its own temporary files', () => {
    expect(isTemporaryFile('.commonplace-0123456789abcdef.tmp')).toBe(true)
    for (const name of ['MEMORY.md', '.commonplace.tmp', 'a.tmp', '.commonplace-0123456789abcdef.tmp.md'])
      expect(isTemporaryFile(name), name).toBe(false)
  })

  it('deletes temporary files after a crash, also on a quick restart, but none in use', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] })
    onTestFinished(() => void vi.useRealTimers())
    const folder = await temporaryFolder()
    const deep = join(folder, '01 - Community', 'Round up')
    await mkdir(deep, { recursive: true })
    const stamped = async (name: string) => {
      await writeFile(join(deep, name), 'torn')
      await utimes(join(deep, name), new Date(), new Date())
    }
    await stamped('.commonplace-0123456789abcdef.tmp')
    await stamped('note.md')
    const onFault = (error: unknown) => expect.unreachable(String(error))
    scheduleCleanup(folder, () => true, onFault)
    await vi.advanceTimersByTimeAsync(53_000)
    await stamped('.commonplace-fedcba9876543210.tmp')
    expect(await readdir(deep)).toHaveLength(3)
    await vi.advanceTimersByTimeAsync(12_000)
    await vi.waitUntil(async () => (await readdir(deep)).length === 2)
    expect(await readdir(deep)).toEqual(['.commonplace-fedcba9876543210.tmp', 'note.md'])
    scheduleCleanup(folder, () => true, onFault)()
    await vi.advanceTimersByTimeAsync(200_000)
    expect(await readdir(deep)).toHaveLength(2)
  })

  it('ends an incomplete last line before it appends', async () => {
    const file = join(await temporaryFolder(), 'log.jsonl')
    await appendDurably(file, '{"a":1}\n')
    await writeFile(file, '{"b', { flag: 'a' })
    await appendDurably(file, '{"c":3}\n')
    expect(await readFile(file, 'utf8')).toBe('{"a":1}\n{"b\n{"c":3}\n')
  })
})

describe('work queue', () => {
  it('runs work of one name in order and continues after a failure', async () => {
    const queue = new KeyedQueue()
    const seen: number[] = []
    const gate = Promise.withResolvers<void>()
    const slow = queue.run('a', async () => {
      await gate.promise
      seen.push(1)
      throw new Error('first')
    })
    const next = queue.run('a', async () => seen.push(2))
    await queue.run('b', async () => seen.push(0))
    gate.resolve()
    await expect(slow).rejects.toThrow('first')
    await next
    expect(seen).toEqual([0, 1, 2])
  })
})

describe('lock between processes', () => {
  it('lets one process at a time through', async () => {
    const folder = await temporaryFolder()
    const children = Array.from({ length: 4 }, () => fork(counter, [folder, '50'], { stdio: 'ignore' }))
    const codes = await Promise.all(children.map((child) => new Promise((resolve) => child.once('exit', resolve))))
    expect(codes).toEqual([0, 0, 0, 0])
    expect(await readFile(join(folder, 'count'), 'utf8')).toBe('200')
  })

  it('is free as soon as its holder is killed', async () => {
    const folder = await temporaryFolder()
    const holder = fork(counter, [folder, 'hold'], { stdio: 'ignore' })
    const lock = new FileLock(join(folder, 'lock'))
    await until(() => {
      const isFree = lock.tryAcquire()
      lock.release()
      return !isFree
    })
    await expect(lock.withLock(async () => undefined, 50)).rejects.toThrow(LockBusyError)
    holder.kill('SIGKILL')
    await new Promise((resolve) => holder.once('exit', resolve))
    expect(await lock.withLock(async () => 'mine', 1000)).toBe('mine')
    lock.close()
  })

  it('stays effective after its file was deleted', async () => {
    const file = join(await temporaryFolder(), 'lock')
    const one = new FileLock(file)
    expect(one.tryAcquire()).toBe(true)
    one.release()
    await rm(file)
    const other = new FileLock(file)
    expect(other.tryAcquire()).toBe(true)
    expect(one.tryAcquire()).toBe(false)
    other.close()
    expect(one.tryAcquire()).toBe(true)
    one.close()
  })
})
