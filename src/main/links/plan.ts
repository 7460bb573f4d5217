/** What a move changes in notes: their texts as they will be, each made from exactly the text that was looked at. */
import { createHash } from 'node:crypto'
import type { MovePlan } from '../../shared/contract/index.ts'
import { applyEdits, planRewrites, type Move } from '../../shared/links/index.ts'
import { describeChange } from '../diff/index.ts'
import type { LinkIndex } from './link-index.ts'

/** Files whose change is shown. */
const maxShown = 40
/** Somebody else may be writing meanwhile; not this often in a row. */
const maxTries = 5

/** A note that is written anew. */
export interface Rewrite {
  /** Where it lies before, and after, the move. */
  readonly path: string
  readonly newPath: string
  /** Of its text before. */
  readonly hash: string
  readonly before: string
  readonly after: string
}

export interface PlannedMove {
  readonly plan: MovePlan
  readonly rewrites: readonly Rewrite[]
}

export async function planMove(index: LinkIndex, move: Move, forbidden: readonly string[]): Promise<PlannedMove> {
  for (let tries = 1; ; tries += 1) {
    await index.refresh(forbidden)
    const { files, left } = planRewrites(index.files(), [move])
    const rewrites: Rewrite[] = []
    for (const { path, newPath, edits } of files) {
      const now = await index.text(path)
      if (!now || now.hash !== index.notes.get(path)?.hash) break
      rewrites.push({ path, newPath, hash: now.hash, before: now.text, after: applyEdits(now.text, edits) })
    }
    if (rewrites.length < files.length && tries < maxTries) {
      index.forget(files.map(({ path }) => path))
      continue
    }
    const counts = new Map(files.map(({ path, edits }) => [path, edits.length]))
    const shown = rewrites.slice(0, maxShown).map(({ path, newPath, before, after }) => ({
      path: newPath,
      count: counts.get(path) ?? 0,
      patch: describeChange(newPath, before, after, { isKept: false, steps: 100_000 }).patch,
    }))
    const plan: MovePlan = {
      links: files.reduce((sum, { edits }) => sum + edits.length, 0),
      notes: files.length,
      moves: index.countMoved(move),
      files: shown,
      left: left.slice(0, maxShown).map(({ path, line, target }) => ({ path, line, target })),
      id: nameOf(move, rewrites),
    }
    return { plan, rewrites }
  }
}

function nameOf(move: Move, rewrites: readonly Rewrite[]): string {
  const hash = createHash('sha256').update(JSON.stringify(move))
  for (const { path, hash: before, after } of rewrites) hash.update(`\0${path}\0${before}\0${after}`)
  return hash.digest('hex')
}
