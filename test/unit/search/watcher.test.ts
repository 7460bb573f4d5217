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

const { FolderWatcher } = await import('../../../src/main/search/indexing/watcher.ts')

describe('watch limit', () => {
  it('reports the limit once and polls', async () => {
    const onLimit = vi.fn()
    const onChange = vi.fn()
    const watcher = new FolderWatcher('/w', {
      onChange,
      onLimit,
      onLimitCleared: vi.fn(),
      onReady: vi.fn(),
      onError: vi.fn(),
    })
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

  it('polls until watching works again, and reports that', async () => {
    FakeWatcher.all.length = 0
    const onLimitCleared = vi.fn()
    const onReady = vi.fn()
    const watcher = new FolderWatcher(
      '/w',
      { onChange: vi.fn(), onLimit: vi.fn(), onLimitCleared, onReady, onError: vi.fn() },
      10,
    )
    const limit = () => Object.assign(new Error('too many open files'), { code: 'EMFILE' })
    const nth = (index: number) => FakeWatcher.all[index]
    nth(0)?.emit('error', limit())
    await until(() => FakeWatcher.all.length === 3)
    nth(2)?.emit('error', limit())
    await until(() => FakeWatcher.all.length === 4)
    expect(FakeWatcher.all.map(({ usePolling }) => usePolling)).toEqual([false, true, false, false])
    expect(nth(2)?.close).toHaveBeenCalled()
    expect(nth(1)?.close).not.toHaveBeenCalled()
    expect(onLimitCleared).not.toHaveBeenCalled()
    nth(3)?.emit('ready')
    await until(() => onLimitCleared.mock.calls.length === 1)
    expect(nth(1)?.close).toHaveBeenCalled()
    expect(onReady).toHaveBeenCalledTimes(1)
    await watcher.close()
  })
})
