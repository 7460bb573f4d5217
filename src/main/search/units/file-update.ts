import { isDeepStrictEqual } from 'node:util'
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
type Statements = ReturnType<typeof prepareStatements>
/** Stored unit of each prepared one; undefined if it is new. */
type KeptUnits = readonly (StoredUnit | undefined)[]

/** Value of `units.vector` for a vector that is computed from the unit's text, and not stored in `embedding_cache`. */
export const fromText = 0

interface NewContent {
  readonly content: UnitContent
  readonly vector: { readonly length: number; readonly code: Uint8Array } | undefined
}

/** Replaces the units of a file by its prepared ones, in linear time. @returns false if the units were the same */
export function updateUnits(statements: Statements, file: Update, fileId: number, settings: UnitSettings): boolean {
  const stored = statements.units.all(fileId).sort((one, other) => one.seq - other.seq)
  // Pairs stored and prepared units with equal text, in the order of the file: `pop` takes from the end.
  const queues = Map.groupBy(stored.toReversed(), ({ hash }) => hash)
  const kept: KeptUnits = file.units.map(({ hash }) => queues.get(hash)?.pop())
  const removed = [...queues.values()].flat()
  const contents = findContents(file, kept, settings)
  const isOfChat = isChat(file)
  const wordCounts = new Map<string, { readonly term: string; open: number; private: number }>()
  // `wordsAndTerms` alternates words and their index terms: "running run notes note".
  const countWords = (wordsAndTerms: string, isPrivate: boolean, change: number) => {
    const list = wordsAndTerms === '' ? [] : wordsAndTerms.split(' ')
    for (let at = 0; at < list.length; at += 2) {
      const word = list[at] ?? ''
      let counts = wordCounts.get(word)
      if (!counts) wordCounts.set(word, (counts = { term: list[at + 1] ?? '', open: 0, private: 0 }))
      counts[isPrivate ? 'private' : 'open'] += change
    }
  }
  for (const { id, private: isPrivate } of removed) {
    const unit = isOfChat ? undefined : statements.text.get(id)
    if (unit) for (const text of [bodyOf(unit), unit.heading]) countWords(termsOf(text).words, isPrivate === 1, -1)
    const terms = statements.removeTerms[termTableOf({ isPrivate: isPrivate === 1, isChat: isOfChat })]
    terms.text.run(id)
    terms.head.run(id)
    statements.removeCode.run(id)
    statements.removeUnit.run(id)
  }
  const sections = placeSections(statements, file, fileId, kept)
  const insert = (unit: PreparedUnit, place: UnitPlace) => {
    const { content, vector } = contents.get(unit.hash) ?? {}
    if (!content) return
    const { hash, label, context, text, isPrivate } = unit
    const { flags, length } = content
    const columns = { ...place, hash, label, context, text, flags, length }
    const { lastInsertRowid } = statements.putUnit.run({
      ...columns,
      file: fileId,
      private: Number(isPrivate),
      isChat: Number(isOfChat),
      vector: vector ? fromText : null,
    })
    const id = Number(lastInsertRowid)
    const terms = statements.putTerms[termTableOf({ isPrivate, isChat: isOfChat })]
    terms.text.run(id, content.terms)
    if (content.headTerms !== '') terms.head.run(id, content.headTerms)
    if (vector) statements.putCode.run(vector.code, vector.length, id)
    if (!isOfChat) for (const words of [content.words, termsOf(unit.heading).words]) countWords(words, isPrivate, 1)
  }
  let changes = removed.length
  for (const [seq, unit] of file.units.entries()) {
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
    const known = kept[seq]
    if (!known) insert(unit, place)
    else if (!isDeepStrictEqual({ ...known, ...place }, known)) statements.moveUnit.run({ ...place, id: known.id })
    else continue
    changes += 1
  }
  for (const [word, counts] of wordCounts) {
    if (counts.open === 0 && counts.private === 0) continue
    statements.putWord.run({ word, ...counts })
    if (counts.open < 0 || counts.private < 0) statements.removeUnusedWord.run(word)
  }
  return changes > 0
}

/** Contents are missing for copies of indexed units, and if the index has changed since the file was prepared. */
function findContents(file: Update, kept: KeptUnits, settings: UnitSettings): ReadonlyMap<string, NewContent> {
  const found = byHash(file)
  const missing = file.units.filter(({ hash }, at) => !kept[at] && !found.has(hash))
  if (missing.length === 0) return found
  return new Map([...found, ...byHash(prepareContents(missing, file, settings))])
}

/** Returns the section of each unit: a run of units with the same heading. A section stays while one of its units does. */
function placeSections(statements: Statements, { units }: Update, fileId: number, kept: KeptUnits): number[] {
  const used = new Set<number>()
  const runs: { readonly heading: string; readonly end: number; readonly kept: number | undefined }[] = []
  for (let from = 0, to = 0; from < units.length; from = to) {
    const heading = units[from]?.heading ?? ''
    let keptSection: number | undefined
    for (; to < units.length && units[to]?.heading === heading; to += 1) {
      const section = kept[to]?.section
      if (keptSection === undefined && section !== undefined && !used.has(section)) keptSection = section
    }
    if (keptSection !== undefined) used.add(keptSection)
    runs.push({ heading, end: to, kept: keptSection })
  }
  for (const section of statements.sections.all(fileId)) if (!used.has(section)) statements.removeSection.run(section)
  return runs.flatMap(({ heading, end, kept: keptSection }, at) => {
    const section = keptSection ?? Number(statements.putSection.run(fileId, heading).lastInsertRowid)
    return Array<number>(end - (runs[at - 1]?.end ?? 0)).fill(section)
  })
}

function byHash({ contents, vectors }: Pick<Update, 'contents' | 'vectors'>): Map<string, NewContent> {
  return new Map(
    contents.map((content, at) => [content.hash, { content, vector: vectors && vectorAt(vectors, at) }] as const),
  )
}

function vectorAt({ lengths, codes }: PackedVectors, at: number): NewContent['vector'] {
  const codeBytes = codes.length / lengths.length
  return { length: lengths[at] ?? 0, code: codes.subarray(at * codeBytes, (at + 1) * codeBytes) }
}
