/**
 * Moves random notes and folders in a copy of real vaults with the app's code. Checks that every link keeps its target
 * and that all other bytes are unchanged. After each move it checks the links that the move may have affected, and at
 * intervals and at the end all links. It tracks each link's first target through every move, so no temporary error is
 * missed.
 *
 *   node test/vaults/moves.ts [--moves 200] [--seed 1] [--all 25] FOLDER…
 */
import { createHash } from 'node:crypto'
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type IndexedNote, LinkIndex } from '../../src/main/workspace/links/link-index.ts'
import { planMove } from '../../src/main/workspace/transactions/plan-move.ts'
import { Workspace } from '../../src/main/workspace/files/workspace.ts'
import { applyEdits, movedPath, type Move } from '../../src/shared/markdown/links/rewrite-links.ts'
import { fileNameOf, keyOf, stemOf } from '../../src/shared/markdown/links/resolve-link.ts'
import { randomOf } from '../support/random.ts'

const { values, positionals } = parseArgs({
  options: {
    moves: { type: 'string', default: '200' },
    seed: { type: 'string', default: '1' },
    /** Moves between checks of all links. */
    all: { type: 'string', default: '25' },
  },
  allowPositionals: true,
})

/** A file. Its path changes with moves. */
interface File {
  path: string
}

interface Expected {
  readonly file: File
  /** Expected target of each link of a note; null if it has none. */
  readonly to: (File | null)[]
  /** Hash of the text at the last check. */
  hash: string
  /** Hashes of the text without link targets, and without links. */
  rest: string
  between: string
  /** Kinds of the links. A wikilink becomes a Markdown link if no wikilink can name the note. */
  kinds: string
}

type Rest = Pick<Expected, 'hash' | 'rest' | 'between'>

async function restOf(index: LinkIndex, { path, links, hash }: IndexedNote): Promise<Rest> {
  const text = (await index.text(path))?.text ?? ''
  const targets = links.map(({ targetFrom, targetTo }) => ({ from: targetFrom, to: targetTo, text: '' }))
  // An image can be nested in the text of a link.
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
  /** Notes that link to a name, by the normalized name. */
  readonly #linking = new Map<string, Set<Expected>>()
  links = 0
  leading = 0
  lost = 0
  turned = 0
  bytes = 0

  constructor(index: LinkIndex) {
    this.index = index
    for (const path of index.files.keys()) this.#files.set(path, { path })
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

  /** Expects no target for links that the move reported as impossible to keep. */
  leave(left: readonly { readonly path: string; readonly line: number; readonly target: string }[]): void {
    for (const { path, line, target } of left) {
      const links = this.index.notes.get(path)?.links ?? []
      const expected = this.#notes.find(({ file }) => file.path === path)
      for (const [at, link] of links.entries())
        if (link.line === line && link.target === target) expected?.to.splice(at, 1, null)
    }
  }

  /** Applies the move to the files. @returns the notes whose links it may have affected */
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
      // Links now use the new name.
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
      // Skips reading the text if its hash is unchanged.
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
  return keyOf(stemOf(fileNameOf(target)))
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
      // The last check reads every byte from disk, regardless of times and sizes.
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

/** Returns a random move: half of them rename, half change the folder; one in ten moves a whole folder. */
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
