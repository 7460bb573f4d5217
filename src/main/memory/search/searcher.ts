/**
 * Answers a query from the index: asks both legs for candidates, gives every candidate both scores, and fuses them.
 * Reads only; the connection is its own, so that a search never waits for the indexer.
 */
import type {
  Candidate,
  Explanation,
  SearchOptions,
  SearchResponse,
  SearchResult,
} from '../../../shared/contract/index.ts'
import { toBlob } from '../../embeddings/index.ts'
import { dailyLogDate, localDate } from '../../workspace/index.ts'
import { builtFor, getMeta, vectorDimensions, type Db } from '../schema.ts'
import { hasPhrases, scoreChunk } from './bm25.ts'
import { measureOf, scaleOf, type KeywordScale } from './calibrate.ts'
import { fuse, type LegInput, type RankedCandidate } from './fuse.ts'
import { planKeywords, type KeywordPlan } from './plan.ts'
import { chooseCandidateTerms, parseQuery, toIndexPhrase, toMatchExpression, type Reading } from './query.ts'
import type { Source } from '../store.ts'
import { prepareSearch, type ChunkRow } from './statements.ts'
import type { QueryVectors } from './query-vectors.ts'
import { matchedWords, snippetOf } from './snippet.ts'
import { Spellings } from './spellings.ts'
import { VectorLeg } from './vectors.ts'
import type { Vocabulary } from './vocabulary.ts'

/** Candidates that each leg puts forward; every one of them gets both scores. */
const keywordCandidates = 48
const vectorCandidates = 40

export interface SearchDefaults {
  readonly weights: { readonly vector: number; readonly text: number }
  readonly minScore: number
  readonly maxResults: number
  readonly recencyHalfLifeDays: number | null
  readonly mmrLambda: number | null
}

interface Collection {
  readonly version: number
  readonly chunks: number
  readonly averageLength: number
  readonly unembedded: number
  readonly background: number
  readonly dimensions: number
}

type Notice = SearchResponse['notice']

/** Everything that one search computed; the response and the explanation are two views of it. */
interface Ranking {
  readonly query: string
  readonly plan: KeywordPlan
  readonly scale: KeywordScale
  readonly candidates: readonly RankedCandidate[]
  readonly rows: ReadonlyMap<number, ChunkRow>
  readonly options: SearchDefaults
  readonly notice: Notice
  readonly timings: SearchResponse['timings']
}

export class Searcher {
  readonly #db: Db
  readonly #embeddings: QueryVectors | undefined
  readonly #statements: ReturnType<typeof prepareSearch>
  #collection: Collection | undefined
  #vectors: VectorLeg | undefined
  readonly #spellings: Spellings
  readonly #vocabulary: Vocabulary

  constructor(db: Db, embeddings: QueryVectors | undefined) {
    this.#db = db
    this.#embeddings = embeddings
    this.#statements = prepareSearch(db)
    this.#spellings = new Spellings(db)
    this.#vocabulary = { documents: (reading) => this.#documentsWith(reading), spellings: this.#spellings }
  }

  async search(
    query: string,
    defaults: SearchDefaults,
    overrides: SearchOptions,
    stale: boolean,
    signal?: AbortSignal,
  ): Promise<SearchResponse> {
    const ranking = await this.#rank(query, withOverrides(defaults, overrides), overrides, undefined, signal)
    const { options, notice, timings } = ranking
    return {
      query,
      results: resultsOf(ranking),
      candidates: ranking.candidates.length,
      ...this.#identity(),
      stale,
      minScore: options.minScore,
      weights: options.weights,
      notice,
      timings,
    }
  }

  async explain(
    query: string,
    defaults: SearchDefaults,
    overrides: SearchOptions,
    why: { path: string; line: number } | undefined,
    stale: boolean,
    signal?: AbortSignal,
  ): Promise<Explanation> {
    const asked = why && this.#statements.chunkAt.get(why.path, why.line, why.line)
    const ranking = await this.#rank(query, withOverrides(defaults, overrides), overrides, asked, signal)
    const { options, notice, timings, plan, scale } = ranking
    const candidates = ranking.candidates.map((candidate) => toCandidate(candidate, ranking))
    return {
      query,
      weights: options.weights,
      minScore: options.minScore,
      maxResults: options.maxResults,
      ...this.#identity(),
      stale,
      notice,
      timings,
      scale,
      terms: plan.terms.map(({ shown, idf, weight, documents, instead }) => ({
        term: shown,
        ...(instead === undefined ? {} : { instead }),
        idf,
        weight,
        documents,
      })),
      candidates,
      ...(why ? { why: whyNot(why, asked, ranking) } : {}),
    }
  }

  /** Length of the vectors that queries are compared with; 0 while there are none. */
  get dimensions(): number {
    return this.#readCollection().dimensions
  }

  /** Reads ahead what the first search would have to wait for. */
  warm(): void {
    this.#spellings.refresh(this.#readCollection().version)
  }

  /** Word and token counts of the indexed files, by source and path. */
  fileCounts(): { path: string; source: Source; words: number; tokens: number }[] {
    return this.#statements.fileCounts.all()
  }

  async #rank(
    query: string,
    options: SearchDefaults,
    { excludeSession, vectorWaitMs }: SearchOptions,
    asked: number | undefined,
    signal: AbortSignal | undefined,
  ): Promise<Ranking> {
    const started = performance.now()
    const excluded = excludeSession === undefined ? undefined : `sessions/${excludeSession}.jsonl`
    const collection = this.#readCollection()
    const { vector, notice, embedMs } = await this.#embedQuery(query, collection, vectorWaitMs, signal)
    const textStarted = performance.now()
    const parsed = parseQuery(query)
    this.#spellings.refresh(collection.version)
    const plan = planKeywords(parsed, collection, this.#vocabulary)
    const found = new Set<number>()
    const expression = toMatchExpression({ ...parsed, terms: chooseCandidateTerms(plan.terms) })
    if (expression !== '') for (const id of this.#statements.match.all(expression, keywordCandidates)) found.add(id)
    const textMs = performance.now() - textStarted
    const vectorStarted = performance.now()
    const leg = vector && this.#vectorLeg(collection.dimensions)
    if (vector && leg) for (const id of leg.nearest(vector, vectorCandidates, collection.chunks)) found.add(id)
    const ids = new Set(asked === undefined ? found : [asked, ...found])
    const cosines = vector && leg?.similarities(vector, [...ids])
    const vectorMs = performance.now() - vectorStarted
    const scoreStarted = performance.now()
    const rows = this.#rows([...ids])
    const considered = [...rows.values()].filter(
      (row) => row.id === asked || (hasPhrases(plan, row) && row.path !== excluded),
    )
    const keywords = new Map(considered.map((row) => [row.id, scoreChunk(plan, row)]))
    // What was only asked about must not change what the others are measured by.
    const scale = scaleOf(considered.flatMap(({ id }) => (found.has(id) ? (keywords.get(id) ?? []) : [])))
    const inputs = considered.map((row): LegInput => {
      const keyword = plan.terms.length > 0 ? keywords.get(row.id) : undefined
      return {
        id: row.id,
        path: row.path,
        source: row.source,
        startLine: row.startLine,
        endLine: row.endLine,
        date: dailyLogDate(row.path),
        cosine: cosines?.get(row.id) ?? null,
        keyword: keyword ? measureOf(keyword, scale) : null,
      }
    })
    const candidates = fuse(inputs, {
      ...options,
      background: collection.background,
      today: localDate(new Date()),
      wordsOf: ({ id }) => new Set(rows.get(id)?.words.split(/\s+/)),
    })
    const finished = performance.now()
    const timings = { embedMs, vectorMs, textMs: textMs + finished - scoreStarted, totalMs: finished - started }
    return { query, plan, scale, candidates, rows, options, notice, timings }
  }

  /** The query's vector, or why there is none: search goes on without. */
  async #embedQuery(
    query: string,
    { dimensions, unembedded }: Collection,
    maxWaitMs: number | undefined,
    signal: AbortSignal | undefined,
  ): Promise<{ vector: Buffer | undefined; notice: Notice; embedMs: number }> {
    if (!this.#embeddings) return { vector: undefined, notice: null, embedMs: 0 }
    if (dimensions === 0) {
      const { failure } = this.#embeddings.leave
      const notice: Notice = failure
        ? { code: 'provider_failed', message: failure.message, since: failure.since }
        : { code: 'vectors_incomplete', message: 'no chunk has a vector yet' }
      return { vector: undefined, notice, embedMs: 0 }
    }
    const started = performance.now()
    const { vector, notice } = await this.#embeddings.of(query, dimensions, maxWaitMs, signal)
    const incomplete: Notice =
      unembedded > 0 ? { code: 'vectors_incomplete', message: `${unembedded} chunks have no vector yet` } : null
    return { vector: vector && toBlob(vector), notice: notice ?? incomplete, embedMs: performance.now() - started }
  }

  /** While an index is rebuilt for another model, the old one answers by keywords: vectors of two models do not compare. */
  #isOfOurModel(): boolean {
    const { provider, model } = builtFor(this.#db)
    return provider === this.#embeddings?.provider && model === this.#embeddings.model
  }

  #identity(): { provider: string; model: string } {
    return { provider: this.#embeddings?.provider ?? 'none', model: this.#embeddings?.model ?? '' }
  }

  /** Figures of the collection, kept until another connection has changed the file. */
  #readCollection(): Collection {
    const version = Number(this.#db.pragma('data_version', { simple: true }))
    if (this.#collection?.version === version) return this.#collection
    const counts = this.#statements.collection.get() ?? { chunks: 0, averageLength: 0, unembedded: 0 }
    this.#collection = {
      version,
      ...counts,
      background: Number(getMeta(this.#db, 'background') ?? 0),
      dimensions: this.#isOfOurModel() ? vectorDimensions(this.#db) : 0,
    }
    return this.#collection
  }

  /** Made when the first vector is there: before, there is no table to prepare a statement for. */
  #vectorLeg(dimensions: number): VectorLeg {
    this.#vectors ??= new VectorLeg(this.#db, { ...this.#identity(), dimensions })
    return this.#vectors
  }

  #documentsWith({ kind, term }: Pick<Reading, 'kind' | 'term'>): number {
    const isSingleTerm = kind === 'word' ? !term.includes(' ') : term.length <= 3
    // One character, or a pair of them, is a term of the index; so is a word.
    if (isSingleTerm) return this.#statements.documents.get(kind === 'cjk' ? term.replace(' ', '') : term) ?? 0
    return this.#statements.phraseDocuments.get(toIndexPhrase({ kind, term })) ?? 0
  }

  #rows(ids: readonly number[]): Map<number, ChunkRow> {
    return new Map(this.#statements.rows.all(JSON.stringify(ids)).map((row) => [row.id, row]))
  }
}

function withOverrides(defaults: SearchDefaults, overrides: SearchOptions): SearchDefaults {
  return {
    weights: overrides.weights ?? defaults.weights,
    minScore: overrides.minScore ?? defaults.minScore,
    maxResults: overrides.maxResults ?? defaults.maxResults,
    recencyHalfLifeDays:
      overrides.recencyHalfLifeDays === undefined ? defaults.recencyHalfLifeDays : overrides.recencyHalfLifeDays,
    mmrLambda: overrides.mmrLambda === undefined ? defaults.mmrLambda : overrides.mmrLambda,
  }
}

function resultsOf(ranking: Ranking): SearchResult[] {
  const results: SearchResult[] = []
  for (const candidate of ranking.candidates) {
    if (candidate.verdict.kind !== 'returned') continue
    const { path, startLine, endLine, heading, snippet, matched, source } = shownChunk(candidate.input, ranking)
    results.push({
      path,
      startLine,
      endLine,
      heading,
      score: candidate.score,
      vectorScore: candidate.vector?.score ?? null,
      textScore: candidate.text?.score ?? null,
      snippet,
      matched,
      source,
    })
  }
  return results
}

function toCandidate(candidate: RankedCandidate, ranking: Ranking): Candidate {
  const { vector, text, modifiers, score, verdict } = candidate
  return {
    ...shownChunk(candidate.input, ranking),
    vector,
    text: text && { ...text, terms: [...text.terms] },
    modifiers: [...modifiers],
    score,
    verdict,
  }
}

function shownChunk(input: LegInput, { rows, plan }: Ranking) {
  const row = rows.get(input.id)
  const snippet = snippetOf(row?.text ?? '', input.keyword?.bestLine ?? 0)
  return {
    path: input.path,
    startLine: input.startLine,
    endLine: input.endLine,
    heading: row?.title ?? '',
    snippet,
    matched: matchedWords(snippet, plan),
    source: input.source,
  }
}

function whyNot(
  why: { path: string; line: number },
  asked: number | undefined,
  ranking: Ranking,
): NonNullable<Explanation['why']> {
  const index = ranking.candidates.findIndex((candidate) => candidate.input.id === asked)
  const candidate = ranking.candidates[index]
  if (!candidate) return { ...why, candidate: null, rank: null, reason: 'notIndexed' }
  const matches = candidate.score > 0
  const reason = matches ? candidate.verdict.kind : 'noMatch'
  return { ...why, candidate: toCandidate(candidate, ranking), rank: matches ? index + 1 : null, reason }
}
