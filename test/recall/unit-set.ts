/** A judged set on disk, indexed by units in memory, with the candidates and features of each of its questions. */
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { SearchResult } from '#shared/contract/index.ts'
import { searchModes } from '#shared/contract/search.ts'
import { createBuiltinEmbeddings } from '../../src/main/search/embeddings/builtin/builtin-provider.ts'
import { isHit, parseQuestions, type JudgedQuestion } from '../../src/main/search/evaluation/judged-questions.ts'
import { openForWriting } from '../../src/main/search/indexing/index-schema.ts'
import { collectCandidates, type CandidateUnit } from '../../src/main/search/ranking/features.ts'
import { findQueryWords, wordRelations } from '../../src/main/search/ranking/query-words.ts'
import { rankingModels, type RankingModels } from '../../src/main/search/ranking/rank.ts'
import type { SelectionLimits } from '../../src/main/search/ranking/select-results.ts'
import { resultsOf } from '../../src/main/search/ranking/search-answer.ts'
import { UnitSearcher, type UnitSearchOptions } from '../../src/main/search/ranking/unit-searcher.ts'
import { UnitVectors } from '../../src/main/search/ranking/unit-similarity.ts'
import type { Chunking } from '../../src/main/search/units/split-chunks.ts'
import { UnitReader } from '../../src/main/search/units/unit-reader.ts'
import { createUnitTables } from '../../src/main/search/units/unit-schema.ts'
import { UnitStore } from '../../src/main/search/units/unit-store.ts'
import { builtinFile } from './judged-set.ts'

export interface PlacedUnit {
  readonly path: string
  readonly startLine: number
  readonly endLine: number
  readonly text: string
}

/** A question with its candidates. */
export interface RankedQuestion {
  readonly question: JudgedQuestion
  readonly candidates: readonly CandidateUnit[]
  /** For each candidate: true if it overlaps judged lines. */
  readonly isAnswer: readonly boolean[]
}

export interface UnitSet {
  readonly name: string
  readonly questions: readonly JudgedQuestion[]
  readonly offTopic: readonly JudgedQuestion[]
  /** All units, without chats. */
  readonly units: readonly PlacedUnit[]
  place(id: number): PlacedUnit
  /** Collects the candidates of a question. */
  ask(question: JudgedQuestion): Promise<RankedQuestion>
}

type ClassicLimits = SelectionLimits & Pick<UnitSearchOptions, 'classicWeights'>

/** Limits of the *Classic* settings. */
export const classicLimits: ClassicLimits = {
  classicWeights: searchModes.classic.weights,
  minScore: searchModes.classic.minScore,
  maxResults: searchModes.classic.maxResults,
  maxCharacters: searchModes.classic.maxCharacters,
}

/** A judged set with the search of the app. */
export interface UnitSearch {
  readonly name: string
  readonly questions: readonly JudgedQuestion[]
  readonly offTopic: readonly JudgedQuestion[]
  search(query: string, limits: ClassicLimits): Promise<SearchResult[]>
}

/**
 * @param models the shipped weights if undefined
 * @param chunking undefined for entries
 */
export async function openUnitSearch(
  folder: string,
  models: RankingModels = rankingModels,
  hasVectors = true,
  chunking?: Chunking,
): Promise<UnitSearch> {
  const { db, provider, model } = indexSet(folder, hasVectors, chunking)
  const searcher = new UnitSearcher(db, provider, models)
  const scope = { isChat: false, hasPrivate: false }
  return {
    name: basename(folder),
    ...questionsOf(folder),
    async search(query, limits) {
      const [vector] = model ? await provider.embed([searcher.parse(query).words]) : []
      return resultsOf(searcher.rank(query, vector, { ...limits, scope }), searcher)
    },
  }
}

function indexSet(folder: string, hasVectors: boolean, chunking?: Chunking) {
  const db = openForWriting(':memory:')
  createUnitTables(db)
  const provider = createBuiltinEmbeddings(builtinFile)
  const model = hasVectors ? provider.similarity : undefined
  const workspace = join(folder, 'workspace')
  const store = new UnitStore(db, { model, folders: [], chunking })
  const paths = readdirSync(workspace, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.md'))
  store.transaction(() => {
    for (const path of paths.sort()) {
      const text = readFileSync(join(workspace, path), 'utf8')
      const file = { path, source: 'memory' as const, hash: path, mtime: 0, size: text.length, text }
      store.replaceFile(store.prepare(file))
    }
  })
  return { db, provider, model }
}

function questionsOf(folder: string) {
  const read = (name: string) => {
    const file = join(folder, name)
    return existsSync(file) ? parseQuestions(readFileSync(file, 'utf8'), file, 'offTopic') : []
  }
  return { questions: read('queries.jsonl'), offTopic: read('offtopic.jsonl') }
}

export async function openUnitSet(folder: string, hasVectors = true): Promise<UnitSet> {
  const { db, provider, model } = indexSet(folder, hasVectors)
  const scope = { isChat: false, hasPrivate: false }
  const reader = new UnitReader(db, scope)
  reader.refresh()
  const vectors = new UnitVectors(db, scope, reader.table)
  const places = db.prepare<[number], PlacedUnit>(
    `SELECT path, start_line AS startLine, end_line AS endLine, text
     FROM units JOIN files ON files.id = units.file_id WHERE units.id = ?`,
  )
  const place = (id: number): PlacedUnit => {
    const found = places.get(id)
    if (!found) throw new Error(`no unit ${id}`)
    return found
  }
  return {
    name: basename(folder),
    ...questionsOf(folder),
    units: Array.from(reader.table.ids(), place),
    place,
    async ask(question) {
      const words = findQueryWords(question.query, reader.lexicon(), wordRelations(provider))
      const [vector] = model ? await provider.embed([question.query]) : []
      const similarity = vector && vectors.similarityTo({ vector, model, text: question.query })
      const { candidates } = collectCandidates(question.query, words, reader.table, similarity)
      const isAnswer = candidates.map(({ id }) => {
        const unit = place(id)
        return question.relevant.some((lines) => isHit(unit, lines))
      })
      return { question, candidates, isAnswer }
    },
  }
}
