/**
 * Answers a query from the index: asks both legs for candidates, gives every candidate both scores, and fuses them.
 * Reads only; the connection is its own, so that a search never waits for the indexer. It is one file because all of it
 * works on what one moment of the index shows.
 */
import type {
  EmbeddingModel,
  Explanation,
  Meaning,
  NearNote,
  SearchOptions,
  SearchSettings,
  SearchResponse,
} from '#shared/contract/index.ts'
import { embeddingAddressOf } from '#shared/util/providers.ts'
import { systemClock, type Clock } from '#platform'
import type { Unseen } from '#workspace/privacy'
import { dailyLogDate, localDate } from '#workspace'
import { calibrationFor, calibrationKey, minPassages, parseCalibration, type Calibration } from './calibrated.ts'
import { builtFor, getMeta, isCurrent, localChunksKey, vectorDimensions, type Db } from '../indexing/index-schema.ts'
import { parseDay } from '../text/days.ts'
import { scriptOf } from './pseudo-questions.ts'
import { lineEnd } from '../keyword/packed-terms.ts'
import { hasPhrases, scoreChunk } from '../keyword/bm25.ts'
import { resultsOf, toCandidate, whyNot, type Ranking } from './search-answer.ts'
import { isOfUse, measureOf, scaleOf, vectorScaleOf, weightsFor } from './calibrate.ts'
import { chooseFound, Conditions, liftOf, withDeservedLifts } from '../query/conditions.ts'
import { isEcho } from './echo.ts'
import { failedFilters, hasConditions, readQuery, type ReadQuery } from '../query/filters.ts'
import { fuse, type LegInput, type RankedCandidate } from './fuse.ts'
import { planKeywords } from '../query/search-plan.ts'
import { heardOf, textReader } from './heard.ts'
import { readKept, toKept, type ReadAhead } from '../keyword/kept-ahead.ts'
import { KeywordIndex, type Keywords } from '../keyword/keyword-index.ts'
import { accountOfMeaning } from '../vector/meaning-search.ts'
import { nearNotes } from '../vector/near-notes.ts'
import { incompleteNotice, localNotice, silenceOf, weakNotice, type Notice } from './notices.ts'
import { parseQuery } from '../query/parse-query.ts'
import type { Source } from '../indexing/indexed-file.ts'
import { SeenIndexes, type SeenIndex } from '../keyword/seen-index.ts'
import { prepareSearch, type ChunkText } from '../keyword/index-statements.ts'
import { localQueryNotice, type QueryVectors } from '../vector/query-vectors.ts'
import { matchedWords } from './snippet.ts'
import { successionOf, type Texts } from './supersession.ts'
import { TermCounter } from '../keyword/term-counter.ts'
import { VectorLeg } from '../vector/vectors.ts'
import { withOverrides } from '../query/overrides.ts'

/** Candidates that each leg puts forward; every one of them gets both scores. */
const keywordCandidates = 48
const vectorCandidates = 40
/** So many more are looked at by meaning, where some of the nearest may not be seen. */
const mostUnseen = 400

/** Fewer new chunks and vectors than this, or this share of all chunks, are read as quickly as they are kept. */
const minKept = 500
const minKeptShare = 0.05

interface Collection {
  readonly version: number
  readonly unembedded: number
  readonly calibration: Calibration | undefined
  /** The calibration is known, or known to be impossible. */
  readonly isMeasured: boolean
  readonly dimensions: number
}

interface EmbeddedQuery {
  readonly vector: Float32Array | undefined
  readonly notice: Notice
  readonly embedMs: number
}

const none: ReadonlySet<number> = new Set()

/** With what whoever asks may not see. */
export type Overrides = SearchOptions & { readonly unseen?: Unseen | undefined }

/** Which candidates are shown, so that their text has to be read. */
type Shown = 'returned' | 'all'

export class Searcher {
  readonly #db: Db
  readonly #now: Clock
  readonly #embeddings: QueryVectors | undefined
  readonly #statements: ReturnType<typeof prepareSearch>
  #collection: Collection | undefined
  #vectors: VectorLeg | undefined
  /** The version of the database that they are in step with. */
  #vectorsOf: number | undefined
  /** How much of the index the next process finds read. */
  #kept = 0
  #heads: { readonly version: number; readonly texts: Map<string, string> } = { version: -1, texts: new Map() }
  readonly #keywords: KeywordIndex
  readonly #seen: SeenIndexes
  readonly #conditions: Conditions

  constructor(db: Db, embeddings: QueryVectors | undefined, now: Clock = systemClock) {
    this.#now = now
    this.#db = db
    this.#embeddings = embeddings
    this.#statements = prepareSearch(db)
    this.#keywords = new KeywordIndex(db)
    this.#seen = new SeenIndexes(db)
    this.#conditions = new Conditions(db)
  }

  async search(
    query: string,
    defaults: SearchSettings,
    overrides: Overrides,
    stale: boolean,
    signal?: AbortSignal,
  ): Promise<SearchResponse> {
    const ranking = await this.#rank(
      query,
      withOverrides(defaults, overrides),
      overrides,
      'returned',
      undefined,
      signal,
    )
    const { options, notice, timings } = ranking
    return {
      query,
      results: resultsOf(ranking),
      candidates: ranking.candidates.length,
      ...this.#identity(),
      stale,
      minScore: options.minScore,
      weights: ranking.weights,
      ...(ranking.read.conditions.length > 0 ? { conditions: [...ranking.read.conditions] } : {}),
      notice,
      timings,
    }
  }

  async explain(
    query: string,
    defaults: SearchSettings,
    overrides: Overrides,
    why: { path: string; line: number } | undefined,
    stale: boolean,
    signal?: AbortSignal,
  ): Promise<Explanation> {
    const asked = why && this.#statements.chunkAt.get(why.path, why.line, why.line)
    const ranking = await this.#rank(query, withOverrides(defaults, overrides), overrides, 'all', asked, signal)
    const { options, notice, timings, plan, scale } = ranking
    const candidates = ranking.candidates.map((candidate) => toCandidate(candidate, ranking))
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
      conditions: [...ranking.read.conditions],
      candidates,
      ...(why ? { why: whyNot(why, asked, ranking) } : {}),
    }
  }

  /** Length of the vectors that queries are compared with; 0 while there are none. */
  get dimensions(): number {
    return this.#readCollection().dimensions
  }

  /** Begins with what another process has read of this index, as far as there is something. */
  begin(): void {
    const kept = this.#transaction(() => readKept(this.#db))
    if (!kept) return
    this.#keywords.begin(kept.words)
    // Of an index of before, whose tables are others, words alone are asked for.
    if (kept.meaning && this.#isOfOurModel()) {
      this.#vectors = new VectorLeg(this.#db, kept.meaning.dimensions, this.#embeddings?.digests)
      this.#vectors.begin(kept.meaning)
    }
    this.#kept = sizeOf(kept)
  }

  /** What the next process may begin with; undefined where it would gain little. */
  toKeep(): Buffer | undefined {
    return this.#transaction(() => {
      if (this.readAhead()) return undefined
      const { chunks } = this.#keywords
      const read = { words: this.#keywords.toParts(), meaning: this.#vectors?.toParts() }
      const isLittle = sizeOf(read) - this.#kept < Math.max(minKept, chunks * minKeptShare)
      if (chunks < minKept || isLittle) return undefined
      this.#kept = sizeOf(read)
      return toKept(this.#db, read)
    })
  }

  /** Reads ahead what the first search would have to wait for, a little at a time. @returns false when all is read */
  readAhead(): boolean {
    if (this.#keywords.readSome()) return true
    this.#transaction(() => {
      const { version, dimensions, calibration } = this.#readCollection()
      this.#keywords.refresh(version)
      if (calibration) this.#vectorLeg(dimensions)
    })
    return false
  }

  /** @param of the model that would be sent to; the one in use when undefined */
  meaning(of: EmbeddingModel | undefined, signal?: AbortSignal): Promise<Meaning> {
    const asked = of
      ? { ...of, address: embeddingAddressOf(of.provider, of.baseUrl) }
      : { ...this.#identity(), address: this.#embeddings?.address }
    return accountOfMeaning(this.#db, asked, this.#readCollection(), signal)
  }

  /** Notes that are about what a note is about; empty while there are no vectors. */
  nearNotes(path: string, most: number): NearNote[] {
    return this.#transaction(() => {
      const { dimensions } = this.#readCollection()
      return dimensions === 0 ? [] : nearNotes(this.#db, this.#vectorLeg(dimensions), path, most)
    })
  }

  /** Word and token counts of the indexed files, by source and path. */
  fileCounts(): { path: string; source: Source; words: number; tokens: number }[] {
    return this.#statements.fileCounts.all()
  }

  async #rank(
    query: string,
    options: SearchSettings,
    overrides: Overrides,
    shown: Shown,
    asked: number | undefined,
    signal: AbortSignal | undefined,
  ): Promise<Ranking> {
    const started = performance.now()
    const read = this.#read(query, overrides.without)
    const embedded = await this.#embedQuery(read.words, this.#readCollection(), overrides, signal)
    const ranking = this.#transaction(() => this.#rankNow(query, read, options, overrides, embedded, shown, asked))
    return { ...ranking, timings: { ...ranking.timings, totalMs: performance.now() - started } }
  }

  /** From the index as it is at this moment. */
  #rankNow(
    query: string,
    read: ReadQuery,
    options: SearchSettings,
    overrides: Overrides,
    embedded: EmbeddedQuery,
    shown: Shown,
    asked: number | undefined,
    successors: ReadonlySet<number> = none,
  ): Ranking {
    const { vector, notice, embedMs } = embedded
    const { excludeSession } = overrides
    const excluded = excludeSession === undefined ? undefined : `sessions/${excludeSession}.jsonl`
    const collection = this.#readCollection()
    const textStarted = performance.now()
    this.#keywords.refresh(collection.version)
    const related = this.#embeddings?.reads(read.words) === true ? this.#embeddings.related : undefined
    const seen = overrides.unseen && this.#seen.of(this.#keywords, collection.version, overrides.unseen)
    const isSeen = (id: number) => seen?.isSeen(id) ?? true
    const keywordIndex: Keywords = seen ?? this.#keywords
    const plan = planKeywords(parseQuery(read.words), keywordIndex, keywordIndex, related)
    const bounds = this.#conditions.boundsOf(read, keywordCandidates, (id) => keywordIndex.termsOf(id), isSeen)
    const byWords = chooseFound((count, only) => keywordIndex.candidates(plan, count, only), keywordCandidates, bounds)
    const found = new Set([...byWords, ...bounds.bare])
    const textMs = performance.now() - textStarted
    const vectorStarted = performance.now()
    const calibration = vector && calibrationFor(read.words, collection.calibration)
    const vectorScale = calibration && isOfUse(calibration) ? vectorScaleOf(calibration) : null
    // The built-in model was chosen by nobody: where it has nothing to say, nothing is missing.
    const isMissed = vector && !vectorScale && this.#embeddings?.provider !== 'builtin'
    const silence = isMissed ? silenceOf(calibration, collection.isMeasured) : null
    // An index that has been exchanged meanwhile may be of another model.
    const leg =
      vectorScale && vector?.length === collection.dimensions ? this.#vectorLeg(collection.dimensions) : undefined
    const meant = vector && leg?.query(vector, this.#embeddings?.nearness(read.words))
    if (meant) {
      const spare = Math.min(seen?.changed ?? 0, mostUnseen)
      const find = (count: number, only?: ReadonlySet<number>) =>
        meant
          .nearest(count + spare, only)
          .filter((id) => seen?.isAsItIs(id) ?? true)
          .slice(0, count)
      const nearest = chooseFound(find, vectorCandidates, bounds)
      for (const id of nearest) found.add(id)
    }
    const ids = new Set([...(asked === undefined ? [] : [asked]), ...successors, ...found])
    const passages = meant?.matches([...ids])
    const vectorMs = performance.now() - vectorStarted
    const scoreStarted = performance.now()
    const considered = keywordIndex
      .read(ids)
      .filter(
        ({ id, path, terms }) => id === asked || successors.has(id) || (hasPhrases(plan, terms) && path !== excluded),
      )
    const counter = new TermCounter(plan.terms)
    const textOf = textReader((id) => seen?.textOf(id) ?? this.#statements.text.get(id)?.text)
    const heard = new Map(considered.map((chunk) => [chunk.id, heardOf(chunk, read, textOf)]))
    const keywords = new Map(
      considered.map((chunk) => {
        const terms = heard.get(chunk.id)?.terms ?? chunk.terms
        return [chunk.id, scoreChunk(plan, terms, counter.count(terms))]
      }),
    )
    const days = this.#conditions.daysOf(hasConditions(read) ? considered.map(({ id }) => id) : [])
    const refused = new Map(
      considered.map(({ id, path, source, terms }) => [
        id,
        failedFilters(read.filters, {
          path,
          source,
          days: days.get(id) ?? [],
          excludedBy: bounds.excludedBy(terms),
          having: bounds.havingOf(source, path),
        }),
      ]),
    )
    // What was only asked about, or may not be shown, must not change what the others are measured by.
    const measured = considered.filter(({ id }) => found.has(id) && refused.get(id)?.length === 0)
    const scale = scaleOf(measured.flatMap(({ id }) => keywords.get(id) ?? []))
    const inputs = considered.map(({ id, path, source, startLine, endLine }): LegInput => {
      const keyword = plan.terms.length > 0 ? keywords.get(id) : undefined
      const question = heard.get(id)?.question
      const isBare = bounds.bare.has(id)
      const refusedBy = refused.get(id) ?? []
      return {
        id,
        path,
        source,
        startLine,
        endLine,
        date: dailyLogDate(path),
        // Where no topic is asked for, or what is alike is the question itself, vectors have nothing to say.
        passage: isBare || question !== undefined || !(seen?.isAsItIs(id) ?? true) ? null : (passages?.get(id) ?? null),
        keyword: isBare ? bounds.bareMeasure : keyword ? measureOf(keyword, scale) : null,
        lift: isBare ? undefined : liftOf(read.lifts, days.get(id) ?? []),
        question,
        ...(refusedBy.length > 0 ? { refusedBy } : {}),
      }
    })
    const weights = weightsFor(options.weights, vectorScale)
    const successionTexts: Texts = {
      textOf,
      headOf: this.#head,
      at: (path, line) => {
        const passage = this.#passageAt(path, line)
        return passage && isSeen(passage.id) ? passage : undefined
      },
      passagesOf: (path) => this.#statements.passagesOf.all(path).filter(({ id }) => isSeen(id)),
    }
    const { candidates, missing } = fuse(withDeservedLifts(inputs, read), {
      ...options,
      weights,
      vectorScale,
      today: localDate(this.#now()),
      successionOf: (input, line) => successionOf(input, line, successionTexts),
      echoes: (conversation, file) => {
        const line = textOf(conversation.id).split('\n')[conversation.keyword?.bestLine ?? 0] ?? ''
        return isEcho(line, matchedWords(line, plan), textOf(file.id))
      },
      wordsOf: ({ id }) => new Set(keywordIndex.termsOf(id)?.text.words.filter((hash) => hash !== lineEnd)),
    })
    // What took the place of something that was found is an answer too, whatever words it has: once more, with it.
    if (missing.size > 0 && successors.size === 0)
      return this.#rankNow(query, read, options, overrides, embedded, shown, asked, missing)
    const meaning = (chunk: number) => {
      const text = meant?.textOf(passages?.get(chunk)?.id)
      return text === undefined ? undefined : this.#embeddings?.terms(read.words, text)
    }
    const texts = this.#texts(candidates, shown, seen)
    const scoreMs = performance.now() - scoreStarted
    const timings = { embedMs, vectorMs, textMs: textMs + scoreMs, totalMs: 0 }
    return {
      query,
      read,
      plan,
      scale,
      candidates,
      texts,
      options,
      weights,
      vectorScale,
      meaning,
      notice: notice ?? silence,
      timings,
    }
  }

  /** The query's vector, or why there is none: search goes on without. */
  async #embedQuery(
    query: string,
    { dimensions, unembedded }: Collection,
    { vectorWaitMs, staysHere }: SearchOptions,
    signal: AbortSignal | undefined,
  ): Promise<EmbeddedQuery> {
    // A model gives a vector to signs as well, or to nothing at all, and something is always nearest to it.
    if (!this.#embeddings || !/[\p{L}\p{N}]/u.test(query)) return { vector: undefined, notice: null, embedMs: 0 }
    if (staysHere && this.#embeddings.isRemote) return { vector: undefined, notice: localQueryNotice, embedMs: 0 }
    if (dimensions === 0) {
      const { failure } = this.#embeddings.leave
      const notice: Notice = failure
        ? { code: 'provider_failed', message: failure.message, since: failure.since }
        : incompleteNotice(unembedded)
      return { vector: undefined, notice, embedMs: 0 }
    }
    if (!this.#embeddings.reads(query)) return { vector: undefined, notice: weakNotice(scriptOf(query)), embedMs: 0 }
    const started = performance.now()
    const { vector, notice } = await this.#embeddings.of(query, dimensions, vectorWaitMs, signal)
    const local = unembedded > 0 ? Number(getMeta(this.#db, localChunksKey) ?? 0) : 0
    const missing = local === unembedded ? localNotice(local) : incompleteNotice(unembedded)
    const incomplete = unembedded > 0 ? missing : null
    return { vector, notice: notice ?? incomplete, embedMs: performance.now() - started }
  }

  /** While an index is rebuilt for another model, the old one answers by keywords: vectors of two models do not compare. */
  #isOfOurModel(): boolean {
    const { provider, model, address } = builtFor(this.#db)
    const asked = this.#embeddings
    return isCurrent(this.#db) && provider === asked?.provider && model === asked.model && address === asked.address
  }

  #identity(): { provider: string; model: string } {
    return { provider: this.#embeddings?.provider ?? 'none', model: this.#embeddings?.model ?? '' }
  }

  /** Figures of the collection, kept until another connection has changed the file. */
  #readCollection(): Collection {
    const version = this.#statements.version.get() ?? 0
    if (this.#collection?.version === version) return this.#collection
    const isOurs = this.#isOfOurModel()
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

  /** Made when the first vector is there: before, nobody knows how long they are. */
  #vectorLeg(dimensions: number): VectorLeg {
    this.#vectors ??= new VectorLeg(this.#db, dimensions, this.#embeddings?.digests)
    const { version } = this.#readCollection()
    if (version !== this.#vectorsOf) this.#vectors.refresh()
    this.#vectorsOf = version
    return this.#vectors
  }

  /** The beginning of a file; most questions are about the same few. */
  readonly #head = (path: string): string => {
    const { version } = this.#readCollection()
    if (this.#heads.version !== version) this.#heads = { version, texts: new Map() }
    const known = this.#heads.texts.get(path) ?? this.#statements.head.get(path) ?? ''
    this.#heads.texts.set(path, known)
    return known
  }

  readonly #passageAt = (path: string, line: number) => this.#statements.passageAt.get(path, line, line)

  /** All that is read within is of one moment, whatever the indexer writes meanwhile. */
  #transaction<T>(work: () => T): T {
    return this.#db.transaction(work).deferred()
  }

  #read(query: string, without?: readonly string[]): ReadQuery {
    const { facts } = this.#conditions
    return readQuery(query, parseDay(localDate(this.#now())), without, (name) => facts.isProperty(name))
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

/** Grows with every chunk and vector that is read. */
function sizeOf({ words, meaning }: ReadAhead): number {
  return words.lastId + (meaning?.lastSeq ?? 0)
}
