/**
 * Answers queries: collects candidates from keyword and vector retrieval, scores every candidate with both, and fuses
 * the scores. Read-only, with its own connection, so that a search never waits for the indexer. Each search runs in
 * one read transaction.
 */
import type {
  EmbeddingModel,
  Explanation,
  EmbeddingQuality,
  SimilarNote,
  SearchOptions,
  SearchSettings,
  SearchResponse,
} from '#shared/contract/index.ts'
import { embeddingBaseUrl } from '#shared/util/providers.ts'
import { systemClock, type Clock } from '#platform'
import type { Unseen } from '#workspace/privacy'
import { dailyLogDate, localDate } from '#workspace'
import { calibrationFor, calibrationKey, minPassages, parseCalibration, type Calibration } from './calibrated.ts'
import {
  modelOfIndex,
  getMeta,
  hasCurrentSchema,
  localChunksKey,
  vectorDimensions,
  type Db,
} from '../indexing/index-schema.ts'
import { parseDay } from '../text/days.ts'
import { scriptOf } from './pseudo-questions.ts'
import { hasPhrases, scoreChunk } from '../keyword/bm25.ts'
import { resultsOf, toScoreBreakdown, explainMissing, type RankingResult } from './search-answer.ts'
import { isOfUse, measureOf, scaleOf, vectorScaleOf, weightsFor } from './calibrate.ts'
import { chooseFound, Conditions, liftOf, withDeservedLifts } from '../query/conditions.ts'
import { isEcho } from './echo.ts'
import { failedFilters, hasConditions, parseFilters, type FilteredQuery } from '../query/filters.ts'
import { fuse, type LegInput, type RankedCandidate } from './fuse.ts'
import { planKeywords } from '../query/keyword-plan.ts'
import { heardOf, textReader } from './heard.ts'
import { readKept, toKept, type ReadAhead } from '../keyword/kept-ahead.ts'
import { KeywordIndex, type Keywords } from '../keyword/keyword-index.ts'
import { embeddingReport } from '../vector/embedding-report.ts'
import { similarNotes } from '../vector/similar-notes.ts'
import { incompleteNotice, localNotice, silenceOf, weakNotice, type Notice } from './notices.ts'
import { parseQuery } from '../query/parse-query.ts'
import type { Source } from '../indexing/indexed-file.ts'
import { SeenIndexes, type SeenIndex } from '../keyword/seen-index.ts'
import { prepareSearchStatements, type ChunkText } from '../keyword/index-statements.ts'
import { localQueryNotice, type QueryEmbedder } from '../vector/query-embedder.ts'
import { matchedWords } from './snippet.ts'
import { supersessionOf, type SupersessionTexts } from './supersession.ts'
import { TermCounter } from '../keyword/term-counter.ts'
import { VectorRetriever } from '../vector/vector-retriever.ts'
import { withOverrides } from '../query/overrides.ts'

const keywordCandidates = 48
const vectorCandidates = 40
/** Maximum number of extra vector candidates if some of the nearest are hidden from the viewer. */
const maxHiddenReserve = 400

/** Minimum of newly read chunks and vectors, absolute and as a share of all chunks, for writing a snapshot. */
const minKept = 500
const minKeptShare = 0.05

interface Collection {
  readonly version: number
  readonly unembedded: number
  readonly calibration: Calibration | undefined
  /** True if the calibration is known, or known to be impossible. */
  readonly isMeasured: boolean
  readonly dimensions: number
}

interface EmbeddedQuery {
  readonly vector: Float32Array | undefined
  readonly notice: Notice
  readonly embedMs: number
}

const none: ReadonlySet<number> = new Set()

export type SearchOverrides = SearchOptions & { readonly unseen?: Unseen | undefined }

type Shown = 'returned' | 'all'

export class Searcher {
  readonly #db: Db
  readonly #now: Clock
  readonly #embeddings: QueryEmbedder | undefined
  readonly #statements: ReturnType<typeof prepareSearchStatements>
  #collection: Collection | undefined
  #vectors: VectorRetriever | undefined
  #vectorsVersion: number | undefined
  #snapshotSize = 0
  #heads: { readonly version: number; readonly texts: Map<string, string> } = { version: -1, texts: new Map() }
  readonly #keywords: KeywordIndex
  readonly #seen: SeenIndexes
  readonly #conditions: Conditions

  constructor(db: Db, embeddings: QueryEmbedder | undefined, now: Clock = systemClock) {
    this.#now = now
    this.#db = db
    this.#embeddings = embeddings
    this.#statements = prepareSearchStatements(db)
    this.#keywords = new KeywordIndex(db)
    this.#seen = new SeenIndexes(db)
    this.#conditions = new Conditions(db)
  }

  /** @param stale copied to the response @throws the signal's reason if aborted */
  async search(
    query: string,
    defaults: SearchSettings,
    overrides: SearchOverrides,
    stale: boolean,
    signal?: AbortSignal,
  ): Promise<SearchResponse> {
    const options = withOverrides(defaults, overrides)
    const ranking = await this.#rank(query, options, overrides, 'returned', undefined, signal)
    const { notice, timings } = ranking
    return {
      query,
      results: resultsOf(ranking),
      candidates: ranking.candidates.length,
      ...this.#identity(),
      stale,
      minScore: options.minScore,
      weights: ranking.weights,
      ...(ranking.filteredQuery.conditions.length > 0 ? { conditions: [...ranking.filteredQuery.conditions] } : {}),
      notice,
      timings,
    }
  }

  /** Runs a search and returns the score breakdown of each candidate. @param why 1-based line to explain */
  async explain(
    query: string,
    defaults: SearchSettings,
    overrides: SearchOverrides,
    why: { path: string; line: number } | undefined,
    stale: boolean,
    signal?: AbortSignal,
  ): Promise<Explanation> {
    const asked = why && this.#statements.chunkAt.get(why.path, why.line, why.line)
    const ranking = await this.#rank(query, withOverrides(defaults, overrides), overrides, 'all', asked, signal)
    const { options, notice, timings, plan, scale } = ranking
    const candidates = ranking.candidates.map((candidate) => toScoreBreakdown(candidate, ranking))
    return {
      query,
      weights: ranking.weights,
      minScore: options.minScore,
      maxResults: options.maxResults,
      ...this.#identity(),
      stale,
      notice,
      timings,
      scale,
      vectorScale: ranking.vectorScale,
      terms: plan.terms.map(({ shown, idf, weight, documents, instead, alike }) => ({
        term: shown,
        ...(instead === undefined ? {} : { instead }),
        ...(alike === undefined ? {} : { alike }),
        idf,
        weight,
        documents,
      })),
      conditions: [...ranking.filteredQuery.conditions],
      candidates,
      ...(why ? { why: explainMissing(why, asked, ranking) } : {}),
    }
  }

  /** Dimensions of the index's vectors; 0 if there are none, or if they are from another model. */
  get dimensions(): number {
    return this.#readCollection().dimensions
  }

  /** Loads the snapshot of an earlier process, if it fits the index. */
  restoreSnapshot(): void {
    const snapshot = this.#transaction(() => readKept(this.#db))
    if (!snapshot) return
    this.#keywords.begin(snapshot.words)
    // An index with an older schema or of another model only serves keyword search.
    if (snapshot.meaning && this.#hasSameModel()) {
      this.#vectors = new VectorRetriever(this.#db, snapshot.meaning.dimensions, this.#embeddings?.digests)
      this.#vectors.restoreSnapshot(snapshot.meaning)
    }
    this.#snapshotSize = sizeOf(snapshot)
  }

  /** Returns a snapshot for the next process; undefined before all is loaded, or if it would save little time. */
  createSnapshot(): Buffer | undefined {
    return this.#transaction(() => {
      if (this.preloadSome()) return undefined
      const { chunks } = this.#keywords
      const read = { words: this.#keywords.toParts(), meaning: this.#vectors?.createSnapshot() }
      const isLittle = sizeOf(read) - this.#snapshotSize < Math.max(minKept, chunks * minKeptShare)
      if (chunks < minKept || isLittle) return undefined
      this.#snapshotSize = sizeOf(read)
      return toKept(this.#db, read)
    })
  }

  /** Preloads a part of the index. @returns true if more remains to be loaded */
  preloadSome(): boolean {
    if (this.#keywords.readSome()) return true
    this.#transaction(() => {
      const { version, dimensions, calibration } = this.#readCollection()
      this.#keywords.refresh(version)
      if (calibration) this.#retriever(dimensions)
    })
    return false
  }

  /** @param of model to count texts for; the one in use if undefined */
  meaning(of: EmbeddingModel | undefined, signal?: AbortSignal): Promise<EmbeddingQuality> {
    const asked = of
      ? { ...of, address: embeddingBaseUrl(of.provider, of.baseUrl) }
      : { ...this.#identity(), address: this.#embeddings?.address }
    return embeddingReport(this.#db, asked, this.#readCollection(), signal)
  }

  /** Returns at most `limit` notes on the same subject, nearest first; empty if there are no vectors. */
  similarNotes(path: string, limit: number): SimilarNote[] {
    return this.#transaction(() => {
      const { dimensions } = this.#readCollection()
      return dimensions === 0 ? [] : similarNotes(this.#db, this.#retriever(dimensions), path, limit)
    })
  }

  fileCounts(): { path: string; source: Source; words: number; tokens: number }[] {
    return this.#statements.fileCounts.all()
  }

  async #rank(
    query: string,
    options: SearchSettings,
    overrides: SearchOverrides,
    shown: Shown,
    asked: number | undefined,
    signal: AbortSignal | undefined,
  ): Promise<RankingResult> {
    const started = performance.now()
    const read = this.#parseFilters(query, overrides.without)
    const embedded = await this.#embedQuery(read.words, this.#readCollection(), overrides, signal)
    const ranking = this.#transaction(() => this.#rankNow(query, read, options, overrides, embedded, shown, asked))
    return { ...ranking, timings: { ...ranking.timings, totalMs: performance.now() - started } }
  }

  /** Must run in a transaction, so that all reads see the same state. */
  #rankNow(
    query: string,
    filteredQuery: FilteredQuery,
    options: SearchSettings,
    overrides: SearchOverrides,
    embedded: EmbeddedQuery,
    shown: Shown,
    asked: number | undefined,
    successors: ReadonlySet<number> = none,
  ): RankingResult {
    const { vector, notice, embedMs } = embedded
    const { excludeSession } = overrides
    const excluded = excludeSession === undefined ? undefined : `sessions/${excludeSession}.jsonl`
    const collection = this.#readCollection()
    const textStarted = performance.now()
    this.#keywords.refresh(collection.version)
    const related = this.#embeddings?.understands(filteredQuery.words) === true ? this.#embeddings.related : undefined
    const seen = overrides.unseen && this.#seen.of(this.#keywords, collection.version, overrides.unseen)
    const isSeen = (id: number) => seen?.isSeen(id) ?? true
    const keywordIndex: Keywords = seen ?? this.#keywords
    const plan = planKeywords(parseQuery(filteredQuery.words), keywordIndex, keywordIndex, related)
    const bounds = this.#conditions.boundsOf(filteredQuery, keywordCandidates, (id) => keywordIndex.termsOf(id), isSeen)
    const keywordHits = chooseFound(
      (count, only) => keywordIndex.candidates(plan, count, only),
      keywordCandidates,
      bounds,
    )
    const found = new Set([...keywordHits, ...bounds.bare])
    const textMs = performance.now() - textStarted
    const vectorStarted = performance.now()
    const calibration = vector && calibrationFor(filteredQuery.words, collection.calibration)
    const vectorScale = calibration && isOfUse(calibration) ? vectorScaleOf(calibration) : null
    // Missing vector results are only reported if the user chose the model, not for the built-in one.
    const lacksVectorResults = vector && !vectorScale && this.#embeddings?.provider !== 'builtin'
    const noVectorNotice = lacksVectorResults ? silenceOf(calibration, collection.isMeasured) : null
    // The index may have been replaced by one of another model while the query was embedded.
    const retriever =
      vectorScale && vector?.length === collection.dimensions ? this.#retriever(collection.dimensions) : undefined
    const vectorQuery = vector && retriever?.query(vector, this.#embeddings?.similarityFor(filteredQuery.words))
    if (vectorQuery) {
      const spare = Math.min(seen?.changed ?? 0, maxHiddenReserve)
      const find = (count: number, only?: ReadonlySet<number>) =>
        vectorQuery
          .nearest(count + spare, only)
          .filter((id) => seen?.isAsItIs(id) ?? true)
          .slice(0, count)
      const nearest = chooseFound(find, vectorCandidates, bounds)
      for (const id of nearest) found.add(id)
    }
    const ids = new Set([...(asked === undefined ? [] : [asked]), ...successors, ...found])
    const passages = vectorQuery?.matches([...ids])
    const vectorMs = performance.now() - vectorStarted
    const scoreStarted = performance.now()
    const considered = keywordIndex
      .read(ids)
      .filter(
        ({ id, path, terms }) => id === asked || successors.has(id) || (hasPhrases(plan, terms) && path !== excluded),
      )
    const counter = new TermCounter(plan.terms)
    const textOf = textReader((id) => seen?.textOf(id) ?? this.#statements.text.get(id)?.text)
    const heard = new Map(considered.map((chunk) => [chunk.id, heardOf(chunk, filteredQuery, textOf)]))
    const keywords = new Map(
      considered.map((chunk) => {
        const terms = heard.get(chunk.id)?.terms ?? chunk.terms
        return [chunk.id, scoreChunk(plan, terms, counter.count(terms))]
      }),
    )
    const days = this.#conditions.daysOf(hasConditions(filteredQuery) ? considered.map(({ id }) => id) : [])
    const failedFiltersById = new Map(
      considered.map(({ id, path, source, terms }) => [
        id,
        failedFilters(filteredQuery.filters, {
          path,
          source,
          days: days.get(id) ?? [],
          excludedBy: bounds.excludedBy(terms),
          having: bounds.havingOf(source, path),
        }),
      ]),
    )
    // Chunks that are not results must not influence the scale.
    const measured = considered.filter(({ id }) => found.has(id) && failedFiltersById.get(id)?.length === 0)
    const scale = scaleOf(measured.flatMap(({ id }) => keywords.get(id) ?? []))
    const inputs = considered.map(({ id, path, source, startLine, endLine }): LegInput => {
      const keyword = plan.terms.length > 0 ? keywords.get(id) : undefined
      const question = heard.get(id)?.question
      const isBare = bounds.bare.has(id)
      const refusedBy = failedFiltersById.get(id) ?? []
      return {
        id,
        path,
        source,
        startLine,
        endLine,
        date: dailyLogDate(path),
        // Vectors do not apply if the query has no topic, if the matched text is a question in a transcript, or if a
        // part of the chunk is hidden from the viewer.
        passage: isBare || question !== undefined || !(seen?.isAsItIs(id) ?? true) ? null : (passages?.get(id) ?? null),
        keyword: isBare ? bounds.bareMeasure : keyword ? measureOf(keyword, scale) : null,
        lift: isBare ? undefined : liftOf(filteredQuery.boosts, days.get(id) ?? []),
        question,
        ...(refusedBy.length > 0 ? { refusedBy } : {}),
      }
    })
    const weights = weightsFor(options.weights, vectorScale)
    const successionTexts: SupersessionTexts = {
      textOf,
      headOf: this.#head,
      passageAt: (path, line) => {
        const passage = this.#passageAt(path, line)
        return passage && isSeen(passage.id) ? passage : undefined
      },
      passagesOf: (path) => this.#statements.passagesOf.all(path).filter(({ id }) => isSeen(id)),
    }
    const { candidates, missing } = fuse(withDeservedLifts(inputs, filteredQuery), {
      ...options,
      weights,
      vectorScale,
      today: localDate(this.#now()),
      successionOf: (input, line) => supersessionOf(input, line, successionTexts),
      echoes: (conversation, file) => {
        const line = textOf(conversation.id).split('\n')[conversation.keyword?.bestLine ?? 0] ?? ''
        return isEcho(line, matchedWords(line, plan), textOf(file.id))
      },
    })
    // Successors are answers even if they share no words with the query: rank again with them.
    if (missing.size > 0 && successors.size === 0)
      return this.#rankNow(query, filteredQuery, options, overrides, embedded, shown, asked, missing)
    const meaning = (chunk: number) => {
      const text = vectorQuery?.textOf(passages?.get(chunk)?.id)
      return text === undefined ? undefined : this.#embeddings?.similarityTerms(filteredQuery.words, text)
    }
    const texts = this.#texts(candidates, shown, seen)
    const scoreMs = performance.now() - scoreStarted
    const timings = { embedMs, vectorMs, textMs: textMs + scoreMs, totalMs: 0 }
    return {
      query,
      filteredQuery,
      plan,
      scale,
      candidates,
      texts,
      options,
      weights,
      vectorScale,
      meaning,
      notice: notice ?? noVectorNotice,
      timings,
    }
  }

  async #embedQuery(
    query: string,
    { dimensions, unembedded }: Collection,
    { vectorWaitMs, staysHere }: SearchOptions,
    signal: AbortSignal | undefined,
  ): Promise<EmbeddedQuery> {
    // A text without letters or digits also gets a vector, but its nearest passages mean nothing.
    if (!this.#embeddings || !/[\p{L}\p{N}]/u.test(query)) return { vector: undefined, notice: null, embedMs: 0 }
    if (staysHere && this.#embeddings.isRemote) return { vector: undefined, notice: localQueryNotice, embedMs: 0 }
    if (dimensions === 0) {
      const { failure } = this.#embeddings.permit
      const notice: Notice = failure
        ? { code: 'provider_failed', message: failure.message, since: failure.since }
        : incompleteNotice(unembedded)
      return { vector: undefined, notice, embedMs: 0 }
    }
    if (!this.#embeddings.understands(query))
      return { vector: undefined, notice: weakNotice(scriptOf(query)), embedMs: 0 }
    const started = performance.now()
    const { vector, notice } = await this.#embeddings.embed(query, dimensions, vectorWaitMs, signal)
    const local = unembedded > 0 ? Number(getMeta(this.#db, localChunksKey) ?? 0) : 0
    const missing = local === unembedded ? localNotice(local) : incompleteNotice(unembedded)
    const incomplete = unembedded > 0 ? missing : null
    return { vector, notice: notice ?? incomplete, embedMs: performance.now() - started }
  }

  /** Returns false while the index is rebuilt for another model: vectors of two models are not comparable. */
  #hasSameModel(): boolean {
    const { provider, model, address } = modelOfIndex(this.#db)
    const asked = this.#embeddings
    return (
      hasCurrentSchema(this.#db) && provider === asked?.provider && model === asked.model && address === asked.address
    )
  }

  #identity(): { provider: string; model: string } {
    return { provider: this.#embeddings?.provider ?? 'none', model: this.#embeddings?.model ?? '' }
  }

  #readCollection(): Collection {
    const version = this.#statements.version.get() ?? 0
    if (this.#collection?.version === version) return this.#collection
    const isOurs = this.#hasSameModel()
    const calibration = isOurs ? parseCalibration(getMeta(this.#db, calibrationKey)) : undefined
    this.#collection = {
      version,
      unembedded: (isOurs ? this.#statements.unembedded : this.#statements.chunks).get() ?? 0,
      calibration,
      isMeasured: calibration !== undefined || (this.#statements.passagesUpTo.get(minPassages) ?? 0) < minPassages,
      dimensions: isOurs ? vectorDimensions(this.#db) : 0,
    }
    return this.#collection
  }

  /** Created lazily, because the dimensions are unknown before the first vector. */
  #retriever(dimensions: number): VectorRetriever {
    this.#vectors ??= new VectorRetriever(this.#db, dimensions, this.#embeddings?.digests)
    const { version } = this.#readCollection()
    if (version !== this.#vectorsVersion) this.#vectors.refresh()
    this.#vectorsVersion = version
    return this.#vectors
  }

  /** Returns the beginning of a file. Cached, because most queries concern the same few files. */
  readonly #head = (path: string): string => {
    const { version } = this.#readCollection()
    if (this.#heads.version !== version) this.#heads = { version, texts: new Map() }
    const known = this.#heads.texts.get(path) ?? this.#statements.head.get(path) ?? ''
    this.#heads.texts.set(path, known)
    return known
  }

  readonly #passageAt = (path: string, line: number) => this.#statements.passageAt.get(path, line, line)

  #transaction<T>(work: () => T): T {
    return this.#db.transaction(work).deferred()
  }

  #parseFilters(query: string, without?: readonly string[]): FilteredQuery {
    const { facts } = this.#conditions
    return parseFilters(query, parseDay(localDate(this.#now())), without, (name) => facts.isProperty(name))
  }

  #texts(candidates: readonly RankedCandidate[], shown: Shown, seen: SeenIndex | undefined): Map<number, ChunkText> {
    const texts = new Map<number, ChunkText>()
    for (const { input, verdict } of candidates) {
      const text = shown === 'all' || verdict.kind === 'returned' ? this.#statements.text.get(input.id) : undefined
      const part = seen?.textOf(input.id)
      if (part !== undefined) texts.set(input.id, { heading: '', text: part })
      else if (text) texts.set(input.id, { ...text, names: this.#conditions.facts.namesOf(input.source, input.path) })
    }
    return texts
  }
}

function sizeOf({ words, meaning }: ReadAhead): number {
  return words.lastId + (meaning?.lastSeq ?? 0)
}
