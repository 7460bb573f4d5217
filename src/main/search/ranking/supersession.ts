import type { LinesOfFile } from '#shared/util/file-lines.ts'
import { matchesQuote, supersededLine, supersededNote, type Superseded } from '#shared/markdown/superseded.ts'
import type { Db } from '../indexing/index-schema.ts'
import { adjust, byLogit, type RankedUnit } from './rank.ts'

/** Logit that a superseded unit loses: it is still shown, but below its successor. */
const lossOfSuperseded = 0.5
/** Maximum length of a chain, against cycles. */
const maxSteps = 8

interface Unit extends LinesOfFile {
  readonly id: number
  readonly text: string
}

export interface Supersession {
  readonly until: string
  /** `path:line` of the successor at the end of the chain; undefined if none is named. */
  readonly by: string | undefined
  readonly successor: number | undefined
}

export class Supersessions {
  readonly #statements: ReturnType<typeof prepare>
  readonly #isSearched: (id: number) => boolean

  /** @param isSearched returns false for units that the reader must not see */
  constructor(db: Db, isSearched: (id: number) => boolean) {
    this.#statements = prepare(db)
    this.#isSearched = isSearched
  }

  files(): ReadonlySet<number> {
    return new Set(this.#statements.files.all())
  }

  of(id: number): Supersession | undefined {
    const unit = this.#statements.unit.get(id)
    const own = unit && this.#supersededAt(unit, unit.startLine)
    if (!own) return undefined
    let last = own
    let from = unit.path
    let at: { unit: Unit; line: number } | undefined
    for (let step = 0; step < maxSteps && last.by; step += 1) {
      at = this.#resolve(from, last.by)
      const next = at && this.#supersededAt(at.unit, at.line)
      if (!at || !next) break
      from = at.unit.path
      last = next
      // Reports the end of the chain, even if it names no successor.
      if (!next.by) at = undefined
    }
    return {
      until: own.until,
      by: at ? `${at.unit.path}:${at.line}` : last.by && formatLocation(last.by),
      successor: at?.unit.id === id ? undefined : at?.unit.id,
    }
  }

  #supersededAt({ path, startLine, text }: Unit, line: number): Superseded | undefined {
    return supersededLine(text.split('\n')[line - startLine] ?? '') ?? this.#supersededNote(path)
  }

  #supersededNote(path: string): Superseded | undefined {
    const units = this.#statements.frontMatter.all(path).filter(({ id }) => this.#isSearched(id))
    const matter = units.map(({ text }) => text).join('\n')
    // A chunk has the fences, an entry has not.
    return matter === '' ? undefined : supersededNote(/^\s*---/.test(matter) ? matter : `---\n${matter}\n---\n`)
  }

  /** Paths are relative to the workspace or to the note's own folder. In a shared memory they begin with its name. */
  #resolve(from: string, { path, line, text }: NonNullable<Superseded['by']>) {
    const folder = from.slice(0, from.lastIndexOf('/') + 1)
    const shared = /^@[^/]+\//.exec(from)?.[0] ?? ''
    for (const candidate of new Set([shared + path, path, folder + path])) {
      const units = this.#statements.unitsOf.all(candidate).filter(({ id }) => this.#isSearched(id))
      const quoted = text === undefined ? undefined : findQuote(units, text, line ?? 1)
      if (quoted) return quoted
      const unit =
        line === undefined ? units[0] : units.find(({ startLine, endLine }) => startLine <= line && line <= endLine)
      if (unit) return { unit, line: Math.max(line ?? 1, unit.startLine) }
    }
    return undefined
  }
}

function formatLocation({ path, line }: NonNullable<Superseded['by']>): string {
  return line === undefined ? path : `${path}:${line}`
}

function findQuote(units: readonly Unit[], quote: string, line: number) {
  let best: { readonly unit: Unit; readonly line: number } | undefined
  for (const unit of units)
    for (const [offset, text] of unit.text.split('\n').entries()) {
      const place = unit.startLine + offset
      const isNearer = !best || Math.abs(best.line - line) > Math.abs(place - line)
      if (isNearer && matchesQuote(text, quote)) best = { unit, line: place }
    }
  return best
}

/**
 * Lowers superseded units and raises their successors to at least the same logit.
 * @returns the units in a new order, and the ids of successors that are not among them
 */
export function lowerSuperseded(
  ranked: readonly RankedUnit[],
  supersessions: ReadonlyMap<number, Pick<Supersession, 'successor'>>,
): { readonly ranked: RankedUnit[]; readonly missing: readonly number[] } {
  const ids = new Set(ranked.map(({ id }) => id))
  const wanted = new Map<number, number>()
  for (const { id, logit } of ranked) {
    const successor = supersessions.get(id)?.successor
    if (successor !== undefined) wanted.set(successor, Math.max(logit, wanted.get(successor) ?? -Infinity))
  }
  const changed = ranked.map((unit) => {
    const raised = (wanted.get(unit.id) ?? -Infinity) - unit.logit
    const higher = raised > 0 ? adjust(unit, { name: 'successor', contribution: raised }) : unit
    if (!supersessions.has(unit.id)) return higher
    return adjust(higher, { name: 'superseded', contribution: -lossOfSuperseded })
  })
  return { ranked: changed.sort(byLogit), missing: [...wanted.keys()].filter((id) => !ids.has(id)) }
}

function prepare(db: Db) {
  const unit = `SELECT units.id, path, start_line AS startLine, end_line AS endLine, text
    FROM units JOIN files ON files.id = units.file_id`
  return {
    unit: db.prepare<[number], Unit>(`${unit} WHERE units.id = ?`),
    unitsOf: db.prepare<[string], Unit>(`${unit} WHERE path = ? ORDER BY seq`),
    files: db.prepare<[], number>("SELECT DISTINCT file_id FROM note_properties WHERE name = 'superseded'").pluck(),
    frontMatter: db.prepare<[string], Unit>(
      `${unit} WHERE path = ? AND entry = 0 AND files.id IN
         (SELECT file_id FROM note_properties WHERE name = 'superseded')
       ORDER BY seq`,
    ),
  }
}
