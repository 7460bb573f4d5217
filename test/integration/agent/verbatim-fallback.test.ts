import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  appendVerbatimEntry,
  markDistilled,
  pendingVerbatimEntries,
} from '../../../src/main/agent/compaction/verbatim-fallback.ts'
import { Workspace } from '../../../src/main/workspace/files/workspace.ts'
import { temporaryFolder } from '../../support/folder.ts'

const origin = { cause: 'flush' } as const
const at = new Date(2026, 0, 20, 10, 3)
/** A rule makes the file `memory/rescued/ruled.md` private. */
const pending = (workspace: Workspace) => pendingVerbatimEntries(workspace, (path) => path.endsWith('/ruled.md'))

async function openFolder() {
  const folder = join(await temporaryFolder(), 'w')
  await mkdir(folder)
  return { workspace: new Workspace({ workspace: folder, forbidden: [] }), folder }
}

describe('text saved verbatim', () => {
  it('is distilled in order, even if it quotes other entries, and records the outcome', async () => {
    const { workspace, folder } = await openFolder()
    const file = join(folder, 'memory/rescued/2026-01-20.md')
    await appendVerbatimEntry(workspace, origin, 'User: first', at, false, false)
    // A tool result quotes the file, so its text occurs again inside the next entry.
    const quoted = await readFile(file, 'utf8')
    await appendVerbatimEntry(workspace, origin, `User: second\n\n${quoted}`, at, false, false)
    const [first, second, ...others] = await pending(workspace)
    expect(first?.text).toBe('User: first')
    expect(second?.text).toContain('User: second')
    expect(others).toEqual([])
    if (first) await markDistilled(workspace, origin, first, ['memory/2026-01-20.md', 'memory/2026-01-20.md'], at)
    expect((await pending(workspace)).map(({ id }) => id)).toEqual([second?.id])
    if (second) await markDistilled(workspace, origin, second, [], at)
    expect(await pending(workspace)).toEqual([])
    const text = await readFile(file, 'utf8')
    expect(text).toContain('## 10:03 - Kept word for word, distilled on 2026-01-20 10:03 into memory/2026-01-20.md\n')
    expect(text).toContain('nothing in it was worth a note')
    expect(text).toContain(quoted.trim())
  })

  it('is private by the name of its file, in any case or form, and by a rule', async () => {
    const { workspace, folder } = await openFolder()
    await appendVerbatimEntry(workspace, origin, 'User: secret', at, true, false)
    const file = join(folder, 'memory/rescued/2026-01-20-private.md')
    for (const name of ['2026-01-20-Private', '2026-01-20\uff0dprivate', 'ruled'])
      await copyFile(file, join(folder, `memory/rescued/${name}.md`))
    expect((await pending(workspace)).map(({ isPrivate }) => isPrivate)).toEqual(Array(4).fill(true))
  })

  it('leaves a user’s file at that path alone', async () => {
    const { workspace, folder } = await openFolder()
    await mkdir(join(folder, 'memory/rescued'), { recursive: true })
    await writeFile(join(folder, 'memory/rescued/mine.md'), '## 10:00 - Kept word for word, waiting to be distilled\n')
    expect(await pending(workspace)).toEqual([])
  })
})
