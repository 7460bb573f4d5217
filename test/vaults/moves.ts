/**
 * Moves notes and folders of real vaults at random, in a copy, by the same code as the app, and compares: every link that
 * led somewhere leads to the same note, and all other bytes are what they were.
 *
 *   node test/vaults/moves.ts [--moves 200] [--seed 1] FOLDER…
 */
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { LinkIndex } from '../../src/main/links/link-index.ts'
import { planMove } from '../../src/main/links/plan.ts'
import { Workspace } from '../../src/main/workspace/index.ts'
import { applyEdits, movedPath, parseLinks, type Move } from '../../src/shared/links/index.ts'
import { randomOf } from '../support/random.ts'

const { values, positionals } = parseArgs({
  options: { moves: { type: 'string', default: '200' }, seed: { type: 'string', default: '1' } },
  allowPositionals: true,
})

interface Leads {
  /** Where each link of a note led; null for nowhere. */
  readonly to: readonly (string | null)[]
  /** Its text without targets. */
  readonly rest: string
}

async function snapshot(index: LinkIndex): Promise<Map<string, Leads>> {
  const notes = new Map<string, Leads>()
  for (const path of index.notes.keys()) {
    const text = (await index.text(path))?.text ?? ''
    const { links } = parseLinks(text)
    const to = links.map((link) => index.resolver.resolve(path, link)?.path ?? null)
    const blanks = links.map(({ targetFrom, targetTo }) => ({ from: targetFrom, to: targetTo, text: '' }))
    notes.set(path, { to, rest: applyEdits(text, blanks) })
  }
  return notes
}

async function measure(folder: string): Promise<void> {
  const random = randomOf(Number(values.seed))
  const copy = await mkdtemp(join(tmpdir(), 'vault-'))
  try {
    await cp(folder, copy, { recursive: true })
    const workspace = new Workspace({ workspace: copy, forbidden: [] })
    const index = new LinkIndex(copy)
    const began = performance.now()
    await index.refresh([])
    const readMs = performance.now() - began
    let before = await snapshot(index)
    const first = [...before.values()].flatMap(({ to }) => to)
    const sum = { moves: 0, refused: 0, folders: 0, links: 0, notes: 0, left: 0, lost: 0, bytes: 0 }
    const times: number[] = []
    while (sum.moves < Number(values.moves)) {
      const move = randomMove([...before.keys()], random)
      const start = performance.now()
      const { plan, rewrites } = await planMove(index, move, [])
      times.push(performance.now() - start)
      try {
        await workspace.relocate(move, rewrites, { cause: 'user' })
      } catch {
        sum.refused += 1
        continue
      }
      await index.refresh([])
      const after = await snapshot(index)
      sum.moves += 1
      sum.folders += plan.moves > 1 ? 1 : 0
      sum.links += plan.links
      sum.notes += plan.notes
      sum.left += plan.left.length
      for (const [path, { to, rest }] of before) {
        const now = after.get(movedPath(path, [move]))
        if (now?.rest !== rest) sum.bytes += 1
        for (const [at, led] of to.entries())
          if (led !== null && now?.to[at] !== movedPath(led, [move])) {
            sum.lost += 1
            process.stdout.write(`  lost: ${path} → ${led} by ${JSON.stringify(move)}\n`)
          }
      }
      before = after
    }
    workspace.close()
    const sorted = times.toSorted((one, other) => one - other)
    const shown = {
      vault: before.size,
      linksThere: first.length,
      linksThatLead: first.filter((to) => to !== null).length,
      readMs: Math.round(readMs),
      planMs: Math.round(sorted[Math.floor(sorted.length / 2)] ?? 0),
      ...sum,
    }
    process.stdout.write(`${folder}: ${JSON.stringify(shown)}\n`)
  } finally {
    await rm(copy, { recursive: true, force: true })
  }
}

/** Half of them another name, the others another folder; one in ten a whole folder. */
function randomMove(paths: readonly string[], random: () => number): Move {
  const pick = <T>(from: readonly T[]): T | undefined => from[Math.floor(random() * from.length)]
  const path = pick(paths) ?? ''
  const folder = path.slice(0, path.lastIndexOf('/') + 1)
  const name = `${pick(['Another', 'new name', 'a (b) c', '100% sure', 'Ünïcode', '笔记'])} ${Math.floor(random() * 1e6)}`
  if (random() < 0.1 && folder !== '') return { from: folder.slice(0, -1), to: `${pick(['', 'moved/'])}${name}` }
  if (random() < 0.5) return { from: path, to: `${folder}${name}.md` }
  const other = pick(paths) ?? ''
  return { from: path, to: `${other.slice(0, other.lastIndexOf('/') + 1)}${path.slice(folder.length)}` }
}

for (const folder of positionals) await measure(folder)
