import {
  bodyOf,
  isChat,
  prepareContents,
  termsOf,
  type PackedVectors,
  type PreparedFile,
  type PreparedUnit,
  type UnitContent,
  type UnitSettings,
} from './prepare-units.ts'
import { termTableOf } from './unit-schema.ts'
import type { prepareStatements, StoredUnit, UnitPlace } from './unit-statements.ts'

type Update = Pick<PreparedFile, 'path' | 'source' | 'metadata' | 'units' | 'contents' | 'vectors'>

/** Value of `units.vector` if the vector is computed from the text. */
export const fromText = 0

interface NewContent {
  readonly content: UnitContent
  readonly vector: { readonly length: number; readonly code: Uint8Array } | undefined
}

/** Replaces the units of one file by its prepared ones, in time linear in their number. */
export class FileUpdate {
  readonly #statements: ReturnType<typeof prepareStatements>
  readonly #file: Update
  readonly #fileId: number
  readonly #contents: ReadonlyMap<string, NewContent>
  readonly #words = new Map<string, { readonly term: string; open: number; private: number }>()
  /** Stored unit of each prepared one; undefined if it is new. */
  readonly #kept: readonly (StoredUnit | undefined)[]
  readonly #removed: readonly StoredUnit[]

  constructor(statements: ReturnType<typeof prepareStatements>, file: Update, fileId: number, settings: UnitSettings) {
    this.#statements = statements
    this.#file = file
    this.#fileId = fileId
    const stored = statements.units.all(fileId).sort((one, other) => one.seq - other.seq)
    const { kept, removed } = matchUnits(stored, file.units)
    this.#kept = kept
    this.#removed = removed
    this.#contents = this.#findContents(settings)
  }

  /** @returns false if the units were the same */
  apply(): boolean {
    const sections = this.#placeSections()
    for (const unit of this.#removed) this.#remove(unit)
    let changes = this.#removed.length
    for (const [seq, unit] of this.#file.units.entries()) {
      const { entry, startLine, endLine, days } = unit
      const section = sections[seq] ?? 0
      const place = {
        seq,
        entry,
        section,
        startLine,
        endLine,
        firstDay: days?.first ?? null,
        lastDay: days?.last ?? null,
      }
      const known = this.#kept[seq]
      if (!known) this.#insert(unit, place)
      else if (hasMoved(known, place)) this.#statements.moveUnit.run({ ...place, id: known.id })
      else continue
      changes += 1
    }
    this.#storeWords()
    return changes > 0
  }

  /** Contents are missing for copies of indexed units, and if the index has changed since the file was prepared. */
  #findContents(settings: UnitSettings): ReadonlyMap<string, NewContent> {
    const found = byHash(this.#file)
    const missing = this.#file.units.filter(({ hash }, at) => !this.#kept[at] && !found.has(hash))
    if (missing.length === 0) return found
    return new Map([...found, ...byHash(prepareContents(missing, this.#file, settings))])
  }

  /** Returns the section of each unit. A section stays while one of its units does. */
  #placeSections(): number[] {
    const used = new Set<number>()
    const runs: { readonly heading: string; readonly end: number; readonly known: number | undefined }[] = []
    const { units } = this.#file
    for (let from = 0, to = 0; from < units.length; from = to) {
      const heading = units[from]?.heading ?? ''
      let known: number | undefined
      for (; to < units.length && units[to]?.heading === heading; to += 1) {
        const section = this.#kept[to]?.section
        if (known === undefined && section !== undefined && !used.has(section)) known = section
      }
      if (known !== undefined) used.add(known)
      runs.push({ heading, end: to, known })
    }
    for (const section of this.#statements.sections.all(this.#fileId))
      if (!used.has(section)) this.#statements.removeSection.run(section)
    const sections: number[] = []
    for (const { heading, end, known } of runs) {
      const section = known ?? Number(this.#statements.putSection.run(this.#fileId, heading).lastInsertRowid)
      while (sections.length < end) sections.push(section)
    }
    return sections
  }

  #insert(unit: PreparedUnit, place: UnitPlace): void {
    const { content, vector } = this.#contents.get(unit.hash) ?? {}
    if (!content) return
    const { hash, label, context, text, isPrivate } = unit
    const { flags, length, chars } = content
    const isOfChat = isChat(this.#file)
    const columns = { ...place, hash, label, context, text, flags, length, chars }
    const { lastInsertRowid } = this.#statements.putUnit.run({
      ...columns,
      file: this.#fileId,
      private: Number(isPrivate),
      isChat: Number(isOfChat),
      vector: vector ? fromText : null,
    })
    const id = Number(lastInsertRowid)
    const terms = this.#statements.putTerms[termTableOf({ isPrivate, isChat: isOfChat })]
    terms.text.run(id, content.terms)
    if (content.headTerms !== '') terms.head.run(id, content.headTerms)
    if (vector) this.#statements.putCode.run(vector.code, vector.length, id)
    if (!isOfChat) this.#countWords(content.words, isPrivate, 1)
  }

  #remove({ id, private: isPrivate }: StoredUnit): void {
    const isOfChat = isChat(this.#file)
    const unit = isOfChat ? undefined : this.#statements.text.get(id)
    if (unit) this.#countWords(termsOf(bodyOf(unit)).words, isPrivate === 1, -1)
    const terms = this.#statements.removeTerms[termTableOf({ isPrivate: isPrivate === 1, isChat: isOfChat })]
    terms.text.run(id)
    terms.head.run(id)
    this.#statements.removeCode.run(id)
    this.#statements.removeUnit.run(id)
  }

  #countWords(words: string, isPrivate: boolean, change: number): void {
    const list = words === '' ? [] : words.split(' ')
    for (let at = 0; at < list.length; at += 2) {
      const word = list[at] ?? ''
      let counts = this.#words.get(word)
      if (!counts) this.#words.set(word, (counts = { term: list[at + 1] ?? '', open: 0, private: 0 }))
      counts[isPrivate ? 'private' : 'open'] += change
    }
  }

  #storeWords(): void {
    for (const [word, counts] of this.#words) {
      if (counts.open === 0 && counts.private === 0) continue
      this.#statements.putWord.run({ word, ...counts })
      if (counts.open < 0 || counts.private < 0) this.#statements.removeUnusedWord.run(word)
    }
  }
}

function byHash({ contents, vectors }: Pick<Update, 'contents' | 'vectors'>): Map<string, NewContent> {
  return new Map(
    contents.map((content, at) => [content.hash, { content, vector: vectors && vectorAt(vectors, at) }] as const),
  )
}

function vectorAt({ lengths, codes }: PackedVectors, at: number): NewContent['vector'] {
  const codeBytes = codes.length / lengths.length
  return {
    length: lengths[at] ?? 0,
    code: codes.subarray(at * codeBytes, (at + 1) * codeBytes),
  }
}

/** Pairs units with equal hashes, in order. */
function matchUnits(
  stored: readonly StoredUnit[],
  units: readonly PreparedUnit[],
): { readonly kept: (StoredUnit | undefined)[]; readonly removed: readonly StoredUnit[] } {
  const queues = Map.groupBy(stored.toReversed(), ({ hash }) => hash)
  const kept = units.map(({ hash }) => queues.get(hash)?.pop())
  return { kept, removed: [...queues.values()].flat() }
}

function hasMoved(known: StoredUnit, place: UnitPlace): boolean {
  return (Object.keys(place) as (keyof UnitPlace)[]).some((column) => known[column] !== place[column])
}
