/**
 * Moves notes and folders of real vaults at random, in a copy, by the same code as the app, and compares: every link that
 * led somewhere leads to the same note, and all other bytes are what they were. After each move those links are looked at
 * that it may have touched, and now and then, and at the end, all of them: what a link led to at first is followed through
 * every move, so that nothing that went wrong in between is lost.
 *
 *   node test/vaults/moves.ts [--moves 200] [--seed 1] [--all 25] FOLDER…
 */
import { createHash } from 'node:crypto'
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { LinkIndex, type IndexedNote } from '../../src/main/workspace/links/link-index.ts'
import { planMove } from '../../src/main/workspace/transactions/plan-move.ts'
import { Workspace } from '../../src/main/workspace/files/workspace.ts'
import { applyEdits, movedPath, type Move } from '../../src/shared/markdown/links/rewrite-links.ts'
import { baseOf, keyOf, stemOf } from '../../src/shared/markdown/links/resolve-link.ts'
import { randomOf } from '../support/random.ts'

const { values, positionals } = parseArgs({
  options: {
    moves: { type: 'string', default: '200' },
    seed: { type: 'string', default: '1' },
    /** All links are looked at after so many moves. */
    all: { type: 'string', default: '25' },
  },
  allowPositionals: true,
})

/** A file, whatever it is called now. */
interface File {
  path: string
}

interface Expected {
  readonly file: File
  /** Where each link of a note must lead; null for nowhere. */
  readonly to: (File | null)[]
  /** The hash of its text when that was looked at. */
  hash: string
  /** The hash of its text without targets, and without links. */
  rest: string
  between: string
  /** Of what kind each link is: a wikilink becomes a Markdown link where none can name the note. */
  kinds: string
}

type Rest = Pick<Expected, 'hash' | 'rest' | 'between'>

async function restOf(index: LinkIndex, { path, links, hash }: IndexedNote): Promise<Rest> {
  const text = (await index.text(path))?.text ?? ''
  const targets = links.map(({ targetFrom, targetTo }) => ({ from: targetFrom, to: targetTo, text: '' }))
  // Pictures may stand in the text of a link.
  const outer = links.filter(({ from }, at) => !links.slice(0, at).some((one) => one.to > from))
  const whole = outer.map(({ from, to }) => ({ from, to, text: '' }))
  return { hash, rest: hashOf(applyEdits(text, targets)), between: hashOf(applyEdits(text, whole)) }
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

function kindsOf({ links }: IndexedNote): string {
  return links.map(({ kind, isEmbed }) => `${kind}${isEmbed}`).join(' ')
}

class Vault {
  readonly index: LinkIndex
  readonly #files = new Map<string, File>()
  readonly #notes: Expected[] = []
  /** Notes that link to a name, by the name as links are held against it. */
  readonly #linking = new Map<string, Set<Expected>>()
  links = 0
  leading = 0
  lost = 0
  turned = 0
  bytes = 0

  constructor(index: LinkIndex) {
    this.index = index
    for (const { path } of index.files()) this.#files.set(path, { path })
  }

  get paths(): string[] {
    return this.#notes.map(({ file }) => file.path)
  }

  async remember(): Promise<void> {
    for (const note of this.index.notes.values()) {
      const to = note.links.map(
        (link) => this.#files.get(this.index.resolver.resolve(note.path, link)?.path ?? '') ?? null,
      )
      const file = this.#files.get(note.path) ?? { path: note.path }
      const expected = { file, to, kinds: kindsOf(note), ...(await restOf(this.index, note)) }
      this.#notes.push(expected)
      this.links += to.length
      this.leading += to.filter((led) => led !== null).length
      for (const [at, { target }] of note.links.entries())
        for (const name of [target, to[at]?.path ?? '']) this.#note(name, expected)
    }
  }

  /** What was told before the move, as what no writing can keep, leads nowhere from then on. */
  leave(left: readonly { readonly path: string; readonly line: number; readonly target: string }[]): void {
    for (const { path, line, target } of left) {
      const links = this.index.notes.get(path)?.links ?? []
      const expected = this.#notes.find(({ file }) => file.path === path)
      for (const [at, link] of links.entries())
        if (link.line === line && link.target === target) expected?.to.splice(at, 1, null)
    }
  }

  /** The files go where the move takes them. @returns those that it may have touched */
  follow(move: Move, rewritten: readonly string[]): Set<Expected> {
    const touched = new Set<Expected>()
    const byPath = new Map(this.#notes.map((one) => [one.file.path, one]))
    for (const file of this.#files.values()) {
      const to = movedPath(file.path, [move])
      if (to === file.path) continue
      const own = byPath.get(file.path)
      if (own) touched.add(own)
      for (const name of [file.path, to]) for (const one of this.#linking.get(nameOf(name)) ?? []) touched.add(one)
      file.path = to
      // From now on links name it so.
      for (const one of this.#linking.get(nameOf(move.from)) ?? []) this.#note(to, one)
    }
    for (const path of rewritten) {
      const one = byPath.get(path)
      if (one) touched.add(one)
    }
    return touched
  }

  async check(notes: Iterable<Expected>, move: Move): Promise<void> {
    for (const expected of notes) {
      const { file, to, kinds } = expected
      const now = this.index.notes.get(file.path)
      // A text that was looked at and is the same is not read again.
      const is = now?.hash === expected.hash ? expected : now && (await restOf(this.index, now))
      const isTurned = now && is?.between === expected.between && kindsOf(now) !== kinds
      if (isTurned) {
        this.turned += 1
        Object.assign(expected, is, { kinds: kindsOf(now) })
      }
      if (!now || is?.rest !== expected.rest) {
        this.bytes += 1
        process.stdout.write(`  bytes: ${file.path}, at the latest by ${JSON.stringify(move)}\n`)
        continue
      }
      expected.hash = now.hash
      for (const [at, led] of to.entries()) {
        const link = now.links[at]
        if (led === null || (link && this.index.resolver.resolve(file.path, link)?.path === led.path)) continue
        this.lost += 1
        process.stdout.write(`  lost: ${file.path} → ${led.path}, at the latest by ${JSON.stringify(move)}\n`)
      }
      for (const { target } of now.links) this.#note(target, expected)
    }
  }

  all(): readonly Expected[] {
    return this.#notes
  }

  #note(name: string, expected: Expected): void {
    const key = nameOf(name)
    const known = this.#linking.get(key)
    if (known) known.add(expected)
    else this.#linking.set(key, new Set([expected]))
  }
}

function nameOf(target: string): string {
  return keyOf(stemOf(baseOf(target)))
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
    const vault = new Vault(index)
    await vault.remember()
    const sum = { moves: 0, refused: 0, folders: 0, links: 0, notes: 0, left: 0 }
    const times: number[] = []
    while (sum.moves < Number(values.moves)) {
      const move = randomMove(vault.paths, random)
      const start = performance.now()
      const { plan, rewrites } = await planMove(index, move, [])
      times.push(performance.now() - start)
      try {
        await workspace.runTransaction({ move }, rewrites, { cause: 'user' })
      } catch {
        sum.refused += 1
        continue
      }
      vault.leave(plan.left)
      sum.moves += 1
      const isLast = sum.moves === Number(values.moves)
      // In the end every byte is what the disk has, whatever times and sizes say.
      if (isLast) index.invalidate(vault.paths)
      await index.refresh([])
      const touched = vault.follow(
        move,
        rewrites.map(({ path }) => path),
      )
      sum.folders += plan.moves > 1 ? 1 : 0
      sum.links += plan.links
      sum.notes += plan.notes
      sum.left += plan.left.length
      const isDue = isLast || sum.moves % Number(values.all) === 0
      await vault.check(isDue ? vault.all() : touched, move)
    }
    workspace.close()
    const sorted = times.toSorted((one, other) => one - other)
    const shown = {
      vault: vault.paths.length,
      linksThere: vault.links,
      linksThatLead: vault.leading,
      readMs: Math.round(readMs),
      planMs: Math.round(sorted[Math.floor(sorted.length / 2)] ?? 0),
      planP95Ms: Math.round(sorted[Math.floor(sorted.length * 0.95)] ?? 0),
      ...sum,
      turned: vault.turned,
      lost: vault.lost,
      bytes: vault.bytes,
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
  const name = `${pick(['Another', 'new name', 'a (b) c', '100% sure', 'Ünïcode', '笔记', 'C# [x]'])} ${Math.floor(random() * 1e6)}`
  if (random() < 0.1 && folder !== '') return { from: folder.slice(0, -1), to: `${pick(['', 'moved/'])}${name}` }
  if (random() < 0.5) return { from: path, to: `${folder}${name}.md` }
  const other = pick(paths) ?? ''
  return { from: path, to: `${other.slice(0, other.lastIndexOf('/') + 1)}${path.slice(folder.length)}` }
}

for (const folder of positionals) await measure(folder)
