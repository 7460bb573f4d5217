/**
 * Answers queries for programs, agents and people. Read-only, with its own connection, so that a search never waits
 * for the indexer. Each search runs in one read transaction.
 */
import type {
  EmbeddingCost,
  EmbeddingModel,
  Explanation,
  SearchOptions,
  SearchResponse,
  SearchSettings,
  SimilarNote,
} from '#shared/contract/index.ts'
import { isLocalAddress } from '#shared/util/locality.ts'
import { embeddingBaseUrl, isRemoteEmbeddingProvider } from '#shared/util/providers.ts'
import { systemClock, type Clock } from '#platform'
import type { WrittenDays } from '#workspace'
import { comparableForms } from '#shared/markdown/visibility.ts'
import { getMeta, hasModel, unsentUnitsKey, vectorDimensions, type Db } from '../indexing/index-schema.ts'
import { sessionsPrefix } from '../indexing/indexed-file.ts'
import type { StoredFile } from '../units/unit-statements.ts'
import { embeddingCost } from '../vector/embedding-cost.ts'
import {
  incompleteNotice,
  privateNotice,
  privateQueryNotice,
  unknownScriptNotice,
  type Notice,
  type QueryEmbedder,
} from '../vector/query-embedder.ts'
import { foldChats } from './fold-chats.ts'
import { rankingModels } from './rank.ts'
import { absentWords, explainedTerms, explainerOf, explainLine, resultsOf, weakResults } from './search-answer.ts'
import { minScoreOf } from './select-results.ts'
import { similarNotes } from './unit-similarity.ts'
import { UnitSearcher, type UnitRanking, type UnitSearchOptions } from './unit-searcher.ts'

const minChatScore = 0.1
/** Characters that results from chats may use, however many the notes have used. */
const minChatCharacters = 300

export type IndexedFileFacts = Omit<StoredFile, 'hash' | 'privateByRule' | 'version'>

interface Ranking extends Pick<SearchResponse, 'minScore' | 'notice' | 'timings'> {
  readonly notes: UnitRanking
  readonly chats: UnitRanking | undefined
  readonly settings: SearchSettings
}

export class Searcher {
  readonly #db: Db
  readonly #embeddings: QueryEmbedder | undefined
  readonly #units: UnitSearcher
  readonly #statements: ReturnType<typeof prepare>
  /** `dimensions`: 0 if the index has no vectors of the model in use. */
  #collection = { version: -1, unembedded: 0, dimensions: 0 }

  /** @param writtenDays of lines without a day */
  constructor(
    db: Db,
    embeddings: QueryEmbedder | undefined,
    now: Clock = systemClock,
    writtenDays?: Pick<WrittenDays, 'of'>,
  ) {
    this.#db = db
    this.#embeddings = embeddings
    this.#units = new UnitSearcher(db, embeddings?.source, rankingModels, now, writtenDays)
    this.#statements = prepare(db)
  }

  /** @throws the signal's reason if aborted */
  async search(
    query: string,
    defaults: SearchSettings,
    overrides: SearchOverrides,
    stale: boolean,
    signal?: AbortSignal,
  ): Promise<SearchResponse> {
    return this.#rank(query, withOverrides(defaults, overrides), overrides, [], signal, (ranking) => {
      const { notes, chats, settings, minScore, notice, timings } = ranking
      const { conditions } = notes.query
      const absent = absentWords(notes)
      return {
        query,
        results: [notes, chats].flatMap((part) => (part ? resultsOf(part, this.#units) : [])),
        weak: overrides.showWeak === true ? weakResults(notes, this.#units) : [],
        candidates: notes.candidates.length + (chats?.candidates.length ?? 0),
        ...identityOf(this.#embeddings),
        stale,
        minScore,
        weights: settings.weights === 'auto' ? null : settings.weights,
        ...(conditions.length > 0 ? { conditions: [...conditions] } : {}),
        ...(absent.length > 0 ? { absent } : {}),
        notice,
        timings,
      }
    })
  }

  async explain(
    query: string,
    defaults: SearchSettings,
    overrides: SearchOverrides,
    why: { path: string; line: number } | undefined,
    stale: boolean,
    signal?: AbortSignal,
  ): Promise<Explanation> {
    const asked = why ? this.#statements.unitsAt.all(why.path, why.line) : []
    return this.#rank(query, withOverrides(defaults, overrides), overrides, asked, signal, (ranking) => {
      const { notes, chats, settings, minScore, notice, timings } = ranking
      const explained = [notes, ...(chats ? [chats] : [])].map((part) => ({
        ranking: part,
        explain: explainerOf(part, this.#units, this.#embeddings?.source),
      }))
      return {
        query,
        weights: settings.weights === 'auto' ? null : settings.weights,
        minScore,
        maxResults: settings.maxResults,
        maxCharacters: settings.maxCharacters,
        ...identityOf(this.#embeddings),
        stale,
        notice,
        timings,
        terms: explainedTerms(notes.queryWords),
        conditions: [...notes.query.conditions],
        absent: absentWords(notes),
        matched: notes.matched + (chats?.matched ?? 0),
        thresholds: { notes: notes.threshold, chats: (chats?.candidates.length ? chats : notes).threshold },
        candidates: explained.flatMap(({ ranking: { candidates }, explain }) => candidates.map(explain)),
        ...(why ? { why: explainLine(why, asked, explained) } : {}),
      }
    })
  }

  get dimensions(): number {
    return this.#readCollection().dimensions
  }

  preload(): void {
    for (const isChat of [false, true]) this.#units.preload({ isChat, hasPrivate: true })
  }

  /**
   * @param of model to count texts for; `chosen` if undefined
   * @param chosen the model of the settings, if the index still has vectors of an earlier one
   * @throws the signal's reason if aborted
   */
  embeddingCost(
    of: EmbeddingModel | undefined,
    signal?: AbortSignal,
    chosen = this.#embeddings,
  ): Promise<EmbeddingCost> {
    const model = of
      ? {
          provider: of.provider,
          model: of.model,
          address: embeddingBaseUrl(of.provider, of.baseUrl),
          isLocal: !isRemoteEmbeddingProvider(of.provider) || isLocalAddress(of.baseUrl),
        }
      : {
          ...identityOf(chosen),
          address: chosen?.source.address,
          dimensions: chosen === this.#embeddings ? this.dimensions || undefined : undefined,
          isLocal: chosen?.isRemote !== true,
        }
    return embeddingCost(this.#db, model, signal)
  }

  similarNotes(path: string, limit: number): SimilarNote[] {
    if (this.dimensions === 0) return []
    return this.#db.transaction(() =>
      similarNotes(this.#db, this.#units.vectors(), this.#embeddings?.source.similarity, path, limit),
    )()
  }

  indexedFiles(): IndexedFileFacts[] {
    return this.#statements.indexedFiles.all()
  }

  privateVersion(): string {
    return this.#statements.privateVersion.get() ?? ''
  }

  /** Returns the lines that are lines of private units. @param lines as `comparableForms` returns them */
  privateLines(lines: readonly string[]): string[] {
    const asked = new Set(lines)
    const found = new Set<string>()
    for (const text of this.#statements.privateTexts.iterate())
      for (const form of text.split('\n').flatMap(comparableForms)) if (asked.has(form)) found.add(form)
    return [...found]
  }

  /** Ranks and calls `answer` in one read transaction, so that the answer can read the texts of the ranked units. */
  async #rank<T>(
    query: string,
    settings: SearchSettings,
    overrides: SearchOverrides,
    alsoRank: readonly number[],
    signal: AbortSignal | undefined,
    answer: (ranking: Ranking) => T,
  ): Promise<T> {
    const started = performance.now()
    const { words } = this.#units.parse(query, overrides.without, overrides.hasPrivate)
    const { vector, notice } = await this.#embed(words, overrides, signal)
    const embedMs = performance.now() - started
    return this.#db.transaction(() => {
      const ranked = this.#rankNow(query, settings, overrides, alsoRank, vector)
      return answer({ ...ranked, notice, timings: { embedMs, totalMs: performance.now() - started } })
    })()
  }

  #rankNow(
    query: string,
    settings: SearchSettings,
    { without, minScore: askedScore, excludeSession, hasPrivate = true, hasChats = true, isRecall }: SearchOverrides,
    alsoRank: readonly number[],
    vector: Float32Array | undefined,
  ): Omit<Ranking, 'notice' | 'timings'> {
    const { weights, maxResults, maxCharacters, recencyHalfLifeDays } = settings
    const classicWeights = weights === 'auto' ? undefined : weights
    const minScore = askedScore ?? (classicWeights ? settings.minScore : null)
    const rank = (isChat: boolean, limits: Pick<UnitSearchOptions, 'minScore' | 'maxResults' | 'maxCharacters'>) =>
      this.#units.rank(query, vector, {
        scope: { isChat, hasPrivate },
        ...limits,
        recencyHalfLifeDays,
        isRecall,
        ...(without ? { without } : {}),
        ...(isChat && excludeSession !== undefined ? { excludedChat: `${sessionsPrefix}${excludeSession}.jsonl` } : {}),
        ...(classicWeights ? { classicWeights } : {}),
        alsoRank,
      })
    const notes = rank(false, { minScore, maxResults, maxCharacters })
    const shown = { notes, settings, minScore: minScore ?? minScoreOf(notes.candidates[0]?.unit) }
    if (!hasChats || this.#units.preload({ isChat: true, hasPrivate }) === 0) return { ...shown, chats: undefined }
    const returned = notes.candidates.filter(({ verdict }) => verdict.kind === 'returned').length
    const limits = {
      minScore: minScore ?? minChatScore,
      maxResults: maxResults - returned,
      maxCharacters: Math.max(minChatCharacters, maxCharacters - notes.characters),
    }
    return { ...shown, chats: foldChats(rank(true, limits), notes, this.#units, limits.minScore) }
  }

  async #embed(
    words: string,
    { vectorWaitMs, staysHere, hasPrivate = true }: SearchOverrides,
    signal: AbortSignal | undefined,
  ): Promise<{ readonly vector: Float32Array | undefined; readonly notice: Notice }> {
    const embeddings = this.#embeddings
    // A text without letters or digits also gets a vector, but its nearest units mean nothing.
    if (!embeddings || !/[\p{L}\p{N}]/u.test(words)) return { vector: undefined, notice: null }
    const isPrivate = staysHere === true
    // For a reader without private notes, the answer must not depend on their words.
    const hasPrivateWord = () => hasPrivate && this.#units.hasPrivateWord(words)
    if (embeddings.isRemote && (isPrivate || hasPrivateWord())) return { vector: undefined, notice: privateQueryNotice }
    const { dimensions, unembedded } = this.#readCollection()
    if (dimensions === 0) {
      const { failure } = embeddings.permit
      const notice: Notice = failure
        ? { code: 'provider_failed', message: failure.message, since: failure.since }
        : incompleteNotice(unembedded)
      return { vector: undefined, notice }
    }
    if (embeddings.source.understands?.(words) === false)
      return { vector: undefined, notice: unknownScriptNotice(words) }
    const { vector, notice } = await embeddings.embed(words, dimensions, { maxWaitMs: vectorWaitMs, isPrivate }, signal)
    if (notice || unembedded === 0) return { vector, notice }
    const local = Number(getMeta(this.#db, unsentUnitsKey) ?? 0)
    return { vector, notice: local === unembedded ? privateNotice(local) : incompleteNotice(unembedded) }
  }

  #readCollection() {
    const version = this.#statements.version.get() ?? 0
    if (this.#collection.version === version) return this.#collection
    const isOurs = this.#embeddings !== undefined && hasModel(this.#db, this.#embeddings.source)
    this.#collection = {
      version,
      unembedded: (isOurs ? this.#statements.unembedded : this.#statements.units).get() ?? 0,
      dimensions: isOurs ? vectorDimensions(this.#db) : 0,
    }
    return this.#collection
  }
}

function identityOf(embeddings: QueryEmbedder | undefined): { provider: string; model: string } {
  return { provider: embeddings?.source.provider ?? 'none', model: embeddings?.source.model ?? '' }
}

function prepare(db: Db) {
  return {
    version: db.prepare<[], number>('PRAGMA data_version').pluck(),
    units: db.prepare<[], number>('SELECT count(*) FROM units').pluck(),
    unembedded: db.prepare<[], number>('SELECT count(*) FROM units WHERE vector IS NULL').pluck(),
    // Several units, because parts of a long entry can share a line, and chunks overlap.
    unitsAt: db
      .prepare<[string, number], number>(
        `SELECT units.id FROM units JOIN files ON files.id = units.file_id
         WHERE path = ? AND ? BETWEEN start_line AND end_line ORDER BY seq`,
      )
      .pluck(),
    indexedFiles: db.prepare<[], IndexedFileFacts>(
      'SELECT path, source, mtime, size, words, tokens, privacy, privacy_problem AS problem FROM files',
    ),
    privateVersion: db
      .prepare<[], string>(
        `SELECT group_concat(count || ' ' || total || ' ' || rules) FROM (
           SELECT count(*) AS count, total(units.id) AS total, 0 AS rules FROM units WHERE private = 1 AND is_chat = 0
           UNION ALL SELECT count(*), total(id), sum(private_by_rule) FROM files WHERE privacy = 2 OR private_by_rule = 1)`,
      )
      .pluck(),
    privateTexts: db.prepare<[], string>('SELECT text FROM units WHERE private = 1').pluck(),
  }
}

export interface SearchOverrides extends SearchOptions {
  /** False for readers who must not see chats. Default true. */
  readonly hasChats?: boolean
  /** True for the recall before an answer, which has other thresholds. */
  readonly isRecall?: boolean
}

export function withOverrides(defaults: SearchSettings, overrides: SearchOptions): SearchSettings {
  const { weights, minScore, maxResults, maxCharacters, recencyHalfLifeDays } = overrides
  return {
    weights: weights ?? defaults.weights,
    minScore: minScore ?? defaults.minScore,
    maxResults: maxResults ?? defaults.maxResults,
    maxCharacters: maxCharacters ?? defaults.maxCharacters,
    // Null turns it off.
    recencyHalfLifeDays: recencyHalfLifeDays === undefined ? defaults.recencyHalfLifeDays : recencyHalfLifeDays,
  }
}
