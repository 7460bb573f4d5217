import { expect, it } from 'vitest'
import { toWriteError } from '../../../src/main/platform/fs/durable-write.ts'

function systemError(code: string, said: string): Error {
  return Object.assign(new Error(`${code}: ${said}`), { code, syscall: 'open' })
}

it('describes a failed write in words, with the path that the user knows', () => {
  const inner = "open '/proc/self/fd/41/.commonplace-0123456789abcdef.tmp'"
  for (const [code, said, why] of [
    ['EROFS', 'read-only file system', 'the disk or folder is read-only (EROFS)'],
    ['EACCES', 'permission denied', 'no permission to write to its folder (EACCES)'],
    ['ENAMETOOLONG', 'name too long', 'name too long (ENAMETOOLONG)'],
  ] as const) {
    const { message, data } = toWriteError(systemError(code, `${said}, ${inner}`), 'memory/2026-11-23.md')
    expect(message).toBe(`memory/2026-11-23.md could not be saved: ${why}`)
    expect(data).toEqual({ path: 'memory/2026-11-23.md', reason: code })
  }
})
