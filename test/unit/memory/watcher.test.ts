import { EventEmitter } from 'node:events'
import { describe, expect, it, vi } from 'vitest'
import { until } from '../../support/folder.ts'

class FakeWatcher extends EventEmitter {
  static readonly all: FakeWatcher[] = []
  readonly usePolling: boolean
  readonly close = vi.fn(async () => undefined)

  constructor(usePolling: boolean) {
    super()
    this.usePolling = usePolling
    FakeWatcher.all.push(this)
  }
}

vi.mock('chokidar', () => ({
  watch: (_folder: string, options: { usePolling: boolean }) => new FakeWatcher(options.usePolling),
}))

const { FolderWatcher } = await import('../../../src/main/memory/watcher.ts')

describe('M9 watch limit', () => {
  it('M9: when the system watches no more files, the app says so once and polls', async () => {
    const onLimit = vi.fn()
    const onChange = vi.fn()
    const watcher = new FolderWatcher('/w', { onChange, onLimit, onRoom: vi.fn(), onReady: vi.fn(), onError: vi.fn() })
    const limit = () => Object.assign(new Error('no space for watches'), { code: 'ENOSPC' })
    FakeWatcher.all[0]?.emit('error', limit())
    await until(() => FakeWatcher.all.length === 2)
    expect(FakeWatcher.all.map(({ usePolling }) => usePolling)).toEqual([false, true])
    expect(FakeWatcher.all[0]?.close).toHaveBeenCalled()
    FakeWatcher.all[1]?.emit('all', 'change', '/w/memory/a.md')
    FakeWatcher.all[1]?.emit('all', 'change', '/w/picture.png')
    expect(onChange.mock.calls).toEqual([['memory/a.md']])
    expect(onLimit).toHaveBeenCalledTimes(1)
    await watcher.close()
  })
})
