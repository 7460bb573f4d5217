import { z } from 'zod'
import { embeddingProviders } from '../util/providers.ts'
import {
  configChangeSchema,
  done,
  filePathSchema,
  forAgent,
  forFile,
  forProgramSchema,
  idSchema,
  progressSchema,
  timestampSchema,
  rpc,
} from './base.ts'
import { maxQuery } from '../util/limits.ts'

/** `memory`: only `MEMORY.md` and the files in `memory/`. */
export const memoryScopeSchema = z.enum(['workspace', 'memory'])
export type MemoryScope = z.infer<typeof memoryScopeSchema>

export const indexExclusionSchema = z.object({
  /**
   * `project`: a context file, which every request contains · `ignored`: by the vault's conventions · `hidden`: also the
   * trash and `node_modules` · `outside`: not in a folder of this memory · `pending`: not indexed yet · `notMemory`: a
   * question, an answer without results or a quotation in a chat.
   */
  reason: z.enum([
    'project',
    'scope',
    'ignored',
    'hidden',
    'notMarkdown',
    'unreadable',
    'sessionsOff',
    'outside',
    'missing',
    'pending',
    'emptyLine',
    'notMemory',
  ]),
  message: z.string().optional(),
})
export type IndexExclusion = z.infer<typeof indexExclusionSchema>

export const indexStatusSchema = z.object({
  files: z.int(),
  /** List items, paragraphs, table rows, code blocks, quotations or chunks, in notes and chats. */
  units: z.int(),
  embedded: z.int(),
  provider: z.string(),
  model: z.string(),
  /** `starting` until the first scan has ended; `failed` if no index can be opened (see `problems`). */
  state: z.enum(['starting', 'indexing', 'rebuilding', 'ready', 'failed']),
  done: z.int(),
  total: z.int(),
  etaMs: z.number().optional(),
  /** The embedding model being downloaded; `share` is in [0, 1]. */
  download: z.object({ file: z.string(), share: z.number() }).optional(),
  problems: z.array(
    z.object({
      code: z.string(),
      message: z.string(),
      path: z.string().optional(),
      since: timestampSchema.optional(),
    }),
  ),
})
export type IndexStatus = z.infer<typeof indexStatusSchema>

/** Scripts by which embedding quality is measured: most models know only some languages. */
export const scripts = ['latin', 'cjk', 'other'] as const

const textCountsSchema = z.object({
  texts: z.int(),
  tokens: z.int(),
})

export const embeddingCostSchema = z.object({
  all: textCountsSchema,
  /** Texts without a vector of the model in question; its provider would receive them. */
  unsent: textCountsSchema,
})
export type EmbeddingCost = z.infer<typeof embeddingCostSchema>

export const embeddingModelSchema = z.object({
  provider: z.enum(embeddingProviders),
  model: z.string().max(500),
  baseUrl: z.string().max(2000).optional(),
})
export type EmbeddingModel = z.infer<typeof embeddingModelSchema>

/** Lines are 1-based. */
export const similarNoteSchema = z.object({
  path: filePathSchema,
  line: z.int(),
  endLine: z.int(),
  text: z.string(),
  from: z.int(),
  cosine: z.number(),
})
export type SimilarNote = z.infer<typeof similarNoteSchema>

export const sourceSchema = z.enum(['memory', 'sessions', 'extra', 'shared'])

/**
 * Reason why vectors are missing or incomplete; keywords answer alone then. `vectors_weak`: the model does not know the
 * query's script; `vectors_private`: units without vectors must not leave this machine, and the model is remote;
 * `query_private`: the query may contain private text, so it was not sent.
 */
export const retrieverNoticeSchema = z.object({
  code: z.enum([
    'vectors_off',
    'provider_failed',
    'provider_late',
    'vectors_incomplete',
    'vectors_weak',
    'vectors_private',
    'query_private',
  ]),
  message: z.string(),
  /** With `vectors_incomplete` and `vectors_private`: number of units without vectors. */
  count: z.int().optional(),
  script: z.enum(scripts).optional(),
  since: z.number().optional(),
})

export const searchResultSchema = z.object({
  path: z.string(),
  /** 1-based, inclusive. */
  startLine: z.int(),
  endLine: z.int(),
  heading: z.string(),
  /** If the note has several names, the one in the query. Undefined if it has only its path. */
  title: z.string().optional(),
  /** `YYYY-MM-DD`; the first one of several. */
  date: z.string().optional(),
  /** In [0, 1]: the probability that the unit answers the query, or the weighted sum. */
  score: z.number(),
  /** In [0, 1]: the cosine, at least 0; null without vectors. */
  vectorScore: z.number().nullable(),
  /** In [0, 1]: `bm25 / (1 + bm25)`; null if no word of the query was searched. */
  textScore: z.number().nullable(),
  /** Text of the unit; of a long chunk, its beginning. */
  snippet: z.string(),
  matched: z.array(z.string()),
  /** Words of the query that it lacks and that decide what the query asks for, the most decisive one first. */
  missing: z.array(z.string()).optional(),
  /** One of the lines of a section that the query names. */
  isOfSection: z.literal(true).optional(),
  source: sourceSchema,
  isPrivate: z.literal(true).optional(),
  fileHash: z.string().optional(),
  /** `until`: the end of its validity, a date; `by`: the replacement as `path:line`. */
  superseded: z.object({ until: z.string(), by: z.string().optional() }).optional(),
  /** A newer line on the same subject, as `path:line`; `isSure` if it tells the same fact. */
  newer: z.object({ at: z.string(), isSure: z.boolean() }).optional(),
})
export type SearchResult = z.infer<typeof searchResultSchema>

export const weightsSchema = z.object({ vector: z.number().min(0), text: z.number().min(0) })

export const searchSettingsSchema = z.object({
  /** `auto`: the ranking model. Numbers: the weighted sum of the two scores, and nothing else. */
  weights: z.union([z.literal('auto'), weightsSchema]),
  /** Threshold of the weighted sum; the ranking model has its own. */
  minScore: z.number().min(0).max(1),
  maxResults: z.int().min(1).max(100),
  /** Limit for all results, as lines with path and date; with classic weights, for their texts. */
  maxCharacters: z.int().min(100).max(100_000),
  /** Days until the odds of a dated unit are halved; null for no decay. */
  recencyHalfLifeDays: z.number().positive().nullable(),
  /** Undefined keeps the current units of the index. */
  chunking: z.object({ unit: z.enum(['entry', 'tokens']), tokens: z.int(), overlap: z.int() }).optional(),
})
export type SearchSettings = z.infer<typeof searchSettingsSchema>

/** `classic`: the settings of OpenClaw. */
export const searchModes = {
  default: {
    weights: 'auto',
    minScore: 0.35,
    maxResults: 20,
    maxCharacters: 1600,
    recencyHalfLifeDays: null,
    chunking: { unit: 'entry', tokens: 400, overlap: 80 },
  },
  classic: {
    weights: { vector: 0.7, text: 0.3 },
    minScore: 0.35,
    maxResults: 6,
    maxCharacters: 4200,
    recencyHalfLifeDays: null,
    chunking: { unit: 'tokens', tokens: 400, overlap: 80 },
  },
} as const satisfies Record<string, SearchSettings>

export const searchOptionsSchema = searchSettingsSchema
  .omit({ chunking: true })
  .partial()
  .extend({
    maxResults: z.int().min(1).max(1000).optional(),
    /** Minimum score of the results, for the ranking model too. */
    minScore: z.number().min(0).max(1).optional(),
    /** True returns less likely results as `weak`. */
    showWeak: z.boolean().optional(),
    /** Otherwise the current session matches its own question. */
    excludeSession: idSchema.optional(),
    /** By default depends on the provider's health. */
    vectorWaitMs: z.int().min(0).max(60_000).optional(),
    staysHere: z.boolean().optional(),
    hasPrivate: z.boolean().optional(),
    /** Time to wait until saved files are indexed, ms; `stale` is true if it was too short. */
    catchUpMs: z.int().min(0).max(60_000).optional(),
    /** Conditions of the query to ignore, as written there. */
    without: z.array(z.string().max(maxQuery)).max(50).optional(),
  })
export type SearchOptions = z.infer<typeof searchOptionsSchema>

/** Filters results (`in:2024-05`, `-draft`) or boosts them (`last week`). */
export const conditionSchema = z.object({
  kind: z.enum(['after', 'before', 'on', 'in', 'path', 'source', 'tag', 'property', 'not', 'time']),
  text: z.string(),
  isOff: z.boolean(),
  /** Days `YYYY-MM-DD`, inclusive; null for an open end or a condition that is not a date. */
  from: z.string().nullable(),
  to: z.string().nullable(),
  /** The day whose notes are listed, because no note is of these days. */
  nearest: z.string().optional(),
  isUnread: z.boolean().optional(),
})
export type Condition = z.infer<typeof conditionSchema>

const searchRunSchema = z.object({
  query: z.string(),
  provider: z.string(),
  model: z.string(),
  stale: z.boolean(),
  /** Reason why the index accepts no changes, such as a full disk. */
  standstill: z.string().optional(),
  /** Files, while many are being indexed. */
  reading: progressSchema.optional(),
  minScore: z.number(),
  /** Null for the ranking model. */
  weights: weightsSchema.nullable(),
  notice: retrieverNoticeSchema.nullable(),
  timings: z.object({ embedMs: z.number(), totalMs: z.number() }),
})

export const searchResponseSchema = searchRunSchema.extend({
  /** Notes, best first, then chats, best first. */
  results: z.array(searchResultSchema),
  /** Best first; empty without `showWeak`. */
  weak: z.array(searchResultSchema),
  candidates: z.int(),
  conditions: z.array(conditionSchema).optional(),
  /** Words that decide the query and that no note has. */
  absent: z.array(z.string()).optional(),
})
export type SearchResponse = z.infer<typeof searchResponseSchema>

const notRecorded = {
  title: true,
  vectorScore: true,
  textScore: true,
  matched: true,
  isPrivate: true,
  fileHash: true,
} as const

export const recordedSearchSchema = searchResponseSchema
  .omit({ weak: true, timings: true, reading: true })
  // Transcripts may have notices that this version does not know.
  .extend({
    results: z.array(searchResultSchema.omit(notRecorded)),
    notice: retrieverNoticeSchema.nullable().catch(null),
  })
export type RecordedSearch = z.infer<typeof recordedSearchSchema>

const meaningTermSchema = z.object({ term: z.string(), nearest: z.string(), share: z.number() })
export type MeaningTerm = z.infer<typeof meaningTermSchema>

/** `rank` is 1-based among the candidates. */
export const vectorScoreSchema = z.object({
  raw: z.number(),
  score: z.number(),
  rank: z.int(),
  /** Contributions of the query words, which add up to `raw`, largest first, with the closest word of the unit. */
  terms: z.array(meaningTermSchema).optional(),
})

/** `instead`: a word of the memory that replaces an unknown query word; `alike`: a related word that matched with a lower weight. */
const queryTermSchema = z.object({ term: z.string(), instead: z.string().optional(), alike: z.string().optional() })

/** `rank` is 1-based among the candidates. */
export const textScoreSchema = z.object({
  /** BM25 of the unit's own words. */
  raw: z.number(),
  score: z.number(),
  rank: z.int(),
  terms: z.array(queryTermSchema.extend({ share: z.number() })),
})

/** Groups of features of the ranking model; the last two are the parts of the weighted sum. */
export const scorePartNames = [
  'constant',
  'ownWords',
  'nearbyWords',
  'section',
  'meaning',
  'form',
  'distance',
  'text',
  'vector',
] as const
export type ScorePartName = (typeof scorePartNames)[number]

export const scorePartSchema = z.object({
  name: z.enum(scorePartNames),
  contribution: z.number(),
  /** Their contributions add up to that of the group. */
  features: z.array(z.object({ name: z.string(), value: z.number(), contribution: z.number() })),
})
export type ScorePart = z.infer<typeof scorePartSchema>

/**
 * `joined`: part of the same entry as result `rank` (1-based) · `duplicate`: says the same as that result · `weak`: the
 * score is too low · `overLimit`: others used up `maxResults` or `maxCharacters`.
 */
export const verdictSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.enum(['returned', 'joined', 'duplicate']), rank: z.int() }),
  z.object({ kind: z.enum(['weak', 'overLimit']) }),
  /** `by`: the filters it fails, as written in the query. */
  z.object({ kind: z.literal('outsideFilter'), by: z.array(z.string()) }),
])
export type Verdict = z.infer<typeof verdictSchema>

const resultShape = searchResultSchema.omit({ score: true, vectorScore: true, textScore: true }).shape

export const candidateSchema = z.object({
  ...resultShape,
  vector: vectorScoreSchema.nullable(),
  text: textScoreSchema.nullable(),
  /** The score is its logistic. Null with a weighted sum. */
  logit: z.number().nullable(),
  /** They add up to `logit`, or to `score` with a weighted sum. */
  parts: z.array(scorePartSchema),
  score: z.number(),
  verdict: verdictSchema,
})
export type Candidate = z.infer<typeof candidateSchema>

/** Reasons why an expected line was not returned. */
export const missReasons = [
  'joined',
  'duplicate',
  'weak',
  'overLimit',
  'outsideFilter',
  'notIndexed',
  'noMatch',
] as const

export const lineExplanationSchema = z.object({
  path: z.string(),
  line: z.int(),
  /** Null if no unit of the index covers the line. */
  candidate: candidateSchema.nullable(),
  /** 1-based; null if the unit was not a candidate. */
  rank: z.int().nullable(),
  /** `private`: the note is fully or partly private, or does not exist; does not depend on the query. */
  reason: z.enum(['returned', ...missReasons, 'private']),
  unsearched: indexExclusionSchema.optional(),
})

export const explanationSchema = searchRunSchema.extend({
  maxResults: z.int(),
  maxCharacters: z.int(),
  /** `weight`: from the rarity of the term and its role in the query. */
  terms: z.array(queryTermSchema.extend({ idf: z.number(), weight: z.number(), documents: z.int() })),
  conditions: z.array(conditionSchema),
  /** Words that decide the query and that no note has. */
  absent: z.array(z.string()),
  matched: z.int(),
  /** Scores below which notes and chats are not returned; equal without candidates from chats. */
  thresholds: z.object({ notes: z.number(), chats: z.number() }),
  /** Notes, best first, then chats, best first. */
  candidates: z.array(candidateSchema),
  why: lineExplanationSchema.optional(),
})
export type Explanation = z.infer<typeof explanationSchema>

const recalledFields = { path: true, startLine: true, endLine: true, score: true, snippet: true } as const
export const recalledLinesSchema = searchResultSchema.pick(recalledFields).extend({
  /** Null if the agent neither named the lines nor opened the file. */
  use: z.enum(['cited', 'read']).nullable(),
})
export type RecalledLines = z.infer<typeof recalledLinesSchema>

/** A search for an agent, by `memory_search` or before the answer to a message. */
export const recallSchema = z.object({
  id: z.string(),
  session: z.string(),
  title: z.string(),
  message: z.string(),
  question: z.string(),
  at: timestampSchema,
  query: z.string(),
  minScore: z.number(),
  /** If `results` is empty, all candidates were below the threshold. */
  candidates: z.int(),
  results: z.array(recalledLinesSchema),
})
export type Recall = z.infer<typeof recallSchema>

/** `isCompared`: in the index that `compareWith` has opened. */
const forIndex = forAgent.extend({ isCompared: z.boolean().optional() })

const searchInput = forAgent.extend({
  query: z.string().max(maxQuery),
  options: searchOptionsSchema.optional(),
  forProgram: forProgramSchema,
})

export const search = {
  query: rpc(searchInput.extend(forIndex.shape), searchResponseSchema),
  explain: rpc(
    searchInput.extend({ why: z.object({ path: filePathSchema, line: z.int().min(1) }).optional() }),
    explanationSchema,
  ),
  recalls: rpc(forAgent, z.array(recallSchema)),
  settings: rpc(forAgent, searchSettingsSchema),
  setSettings: rpc(forAgent.extend({ settings: searchSettingsSchema }), configChangeSchema),
  setScope: rpc(forAgent.extend({ scope: memoryScopeSchema }), memoryScopeSchema),
  /** @returns the previous value, as `setScope` */
  setSessions: rpc(forAgent.extend({ sessions: z.boolean() }), z.boolean()),
  /** Most similar first; empty if there are no vectors. */
  nearNotes: rpc(forFile, z.array(similarNoteSchema)),
  status: rpc(forIndex, indexStatusSchema),
  /** Opens an index with the vectors of another provider; null closes it. */
  compareWith: rpc(forAgent.extend({ provider: z.enum(embeddingProviders).nullable() }), done),
  embeddingCost: rpc(forAgent.extend({ of: embeddingModelSchema.optional() }), embeddingCostSchema),
  /** `vectors`: also until every unit has its vector or none can be computed. */
  settle: rpc(forIndex.extend({ vectors: z.boolean().default(false) }), {
    settled: z.boolean(),
    status: indexStatusSchema,
    indexBytes: z.number(),
  }),
  reindex: rpc(forAgent, indexStatusSchema),
}
