/** Accepts everything and takes it back without pause, saying which of both is done, until somebody kills it. */
import { Differ } from '../../src/main/diff/index.ts'
import { Upkeep } from '../../src/main/upkeep/index.ts'
import { Workspace } from '../../src/main/workspace/index.ts'

/** Upkeep of a folder without the rest of its agent. */
export function openUpkeepOf(folder: string, state: string): { upkeep: Upkeep; workspace: Workspace; close(): void } {
  const workspace = new Workspace({ workspace: folder, forbidden: [], readable: () => [] })
  const upkeep = new Upkeep({
    folder: state,
    workspace,
    differ: new Differ(),
    now: () => new Date(),
    look: () => Promise.reject(new Error('nothing is looked for')),
    onDamaged: (aside) => {
      throw new Error(`the inbox was damaged: ${aside}`)
    },
  })
  const close = () => {
    upkeep.close()
    workspace.close()
  }
  return { upkeep, workspace, close }
}

if (import.meta.main) {
  const [folder = '', state = ''] = process.argv.slice(2)
  const { upkeep } = openUpkeepOf(folder, state)
  process.stdout.write('ready\n')
  for (;;) {
    const { open, done } = await upkeep.list()
    const acceptance = done.find((one) => one.state === 'accepted')?.acceptance
    if (acceptance !== undefined) await upkeep.undo(acceptance)
    else await upkeep.accept(open.map(({ id }) => id))
    process.stdout.write(acceptance === undefined ? 'accepted\n' : 'undone\n')
  }
}
