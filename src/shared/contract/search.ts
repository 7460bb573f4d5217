import { z } from 'zod'
import { embeddingProviders } from '../util/providers.ts'
import { filePathSchema, base, forAgent, forProgramSchema, idSchema } from './base.ts'
import { maxQuery } from '../util/limits.ts'

/** All notes of the workspace, or only `MEMORY.md` and the files in `memory/`. */
export const memoryScopeSchema = z.enum(['workspace', 'memory'])
export type MemoryScope = z.infer<typeof memoryScopeSchema>

export const indexExclusionSchema = z.object({
  /**
   * `project`: a context file, which every request contains · `scope`: excluded by the scope setting · `ignored`: excluded by the
   * vault's conventions · `hidden`: in a hidden folder, the trash or `node_modules` · `notMarkdown` · `unreadable`: see
   * `message` · `sessionsOff`: session search is off · `outside`: not in a folder of this memory · `missing`: no such
   * file · `pending`: not indexed yet · `emptyLine`: the file is searchable, but the line is empty.
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
  ]),
  message: z.string().optional(),
})
export type IndexExclusion = z.infer<typeof indexExclusionSchema>

export const indexStatusSchema = z.object({
  files: z.number().int(),
  chunks: z.number().int(),
  embedded: z.number().int(),
  provider: z.string(),
  model: z.string(),
  /** `starting` until the first scan has ended; `failed` if no index can be opened (see `problems`). */
  state: z.enum(['starting', 'indexing', 'rebuilding', 'ready', 'failed']),
  done: z.number().int(),
  total: z.number().int(),
  /** Estimated milliseconds until the running sync ends. */
  etaMs: z.number().optional(),
  /** The embedding model being downloaded; `share` is in [0, 1]. */
  download: z.object({ file: z.string(), share: z.number() }).optional(),
  problems: z.array(
    z.object({
      code: z.string(),
      message: z.string(),
      path: z.string().optional(),
      /** Milliseconds since the epoch. */
      since: z.number().optional(),
    }),
  ),
})
export type IndexStatus = z.infer<typeof indexStatusSchema>

/** Scripts by which embedding quality is measured: most models know only some languages. */
export const scripts = ['latin', 'cjk', 'other'] as const
export type Script = (typeof scripts)[number]
export const scriptSchema = z.enum(scripts)

const textCountsSchema = z.object({
  texts: z.number().int(),
  tokens: z.number().int(),
})

export const embeddingQualitySchema = z.object({
  all: textCountsSchema,
  /** Passages without a vector of the model in question; its provider would receive them. */
  unsent: textCountsSchema,
  /** Synthetic queries that measure the model and have no vectors yet. */
  questions: textCountsSchema,
  /** False while the measurement runs; true if it has ended or the memory is too small for it. */
  isMeasured: z.boolean(),
  /**
   * Measured quality of the model in use, by script; empty until measured. `worth`: how well the model separates the
   * texts of this memory, from 0 (chance) to 1 (perfect); `takesPart`: true if that suffices for vector search.
   */
  scripts: z.array(z.object({ script: scriptSchema, worth: z.number(), takesPart: z.boolean() })),
})
export type EmbeddingQuality = z.infer<typeof embeddingQualitySchema>

export const embeddingModelSchema = z.object({
  provider: z.enum(embeddingProviders),
  model: z.string().max(500),
  /** Address of the endpoint, if it is not the provider's default. */
  baseUrl: z.string().max(2000).optional(),
})
export type EmbeddingModel = z.infer<typeof embeddingModelSchema>

/** A note with a passage similar to one of the given note. Lines are 1-based. */
export const similarNoteSchema = z.object({
  path: filePathSchema,
  line: z.number().int(),
  endLine: z.number().int(),
  text: z.string(),
  /** Line of the given note where its own passage begins. */
  from: z.number().int(),
  cosine: z.number(),
  /** Difference between this cosine and the mean cosine of the given note's passage, in standard deviations. */
  deviations: z.number(),
})
export type SimilarNote = z.infer<typeof similarNoteSchema>

export const sourceSchema = z.enum(['memory', 'sessions', 'extra', 'shared'])

/**
 * Reason why one retriever is off or incomplete; the other one answers alone. `vectors_few`: the memory has too few
 * passages to calibrate cosines; `vectors_measuring`: calibration is running; `vectors_weak`: the model does not
 * separate texts in the query's script; `vectors_local`: passages without vectors must not leave this machine, and the
 * model is remote; `query_local`: the query may contain local text, so it was not sent.
 */
export const retrieverNoticeSchema = z.object({
  code: z.enum([
    'vectors_off',
    'provider_failed',
    'provider_late',
    'vectors_incomplete',
    'vectors_few',
    'vectors_measuring',
    'vectors_weak',
    'vectors_local',
    'query_local',
  ]),
  message: z.string(),
  /** With `vectors_incomplete` and `vectors_local`: number of chunks without vectors. */
  count: z.number().int().optional(),
  /** With `vectors_weak`. */
  script: scriptSchema.optional(),
  /** Start of the problem, milliseconds since the epoch. */
  since: z.number().optional(),
})

export const searchResultSchema = z.object({
  path: z.string(),
  /** 1-based, inclusive. */
  startLine: z.number().int(),
  endLine: z.number().int(),
  /** Lines within the chunk that matched best, 1-based, inclusive; undefined in older transcripts. */
  found: z.object({ startLine: z.number().int(), endLine: z.number().int() }).optional(),
  heading: z.string(),
  /** Title of the note; if it has several names, the one in the query. Undefined if it has only its path. */
  title: z.string().optional(),
  /** In [0, 1]: weighted sum of the retriever scores, after modifiers. */
  score: z.number(),
  /** In [0, 1]; null if this retriever is off. */
  vectorScore: z.number().nullable(),
  textScore: z.number().nullable(),
  snippet: z.string(),
  /** 1-based line of the snippet's start; undefined in older transcripts. */
  snippetLine: z.number().int().optional(),
  matched: z.array(z.string()),
  source: sourceSchema,
  /** Set if the line is no longer valid. `until`: the date it stopped; `by`: the replacement as `path:line`. */
  superseded: z.object({ until: z.string(), by: z.string().optional() }).optional(),
})
export type SearchResult = z.infer<typeof searchResultSchema>

export const timingsSchema = z.object({
  embedMs: z.number(),
  vectorMs: z.number(),
  textMs: z.number(),
  totalMs: z.number(),
})

export const weightsSchema = z.object({ vector: z.number().min(0), text: z.number().min(0) })

export const searchSettingsSchema = z.object({
  /** `auto`: derived from the measured quality of the vectors. */
  weights: z.union([z.literal('auto'), weightsSchema]),
  minScore: z.number().min(0).max(1),
  maxResults: z.number().int().min(1).max(100),
  /** Days until the score of a dated file is halved; null for no decay. */
  recencyHalfLifeDays: z.number().positive().nullable(),
})
export type SearchSettings = z.infer<typeof searchSettingsSchema>

/** Overrides for one search; omitted fields come from the agent's settings. */
export const searchOptionsSchema = searchSettingsSchema.partial().extend({
  maxResults: z.number().int().min(1).max(1000).optional(),
  /** Session to exclude; otherwise the current session matches its own question. */
  excludeSession: idSchema.optional(),
  /** Milliseconds to wait for the query vector; by default depends on the provider's health. */
  vectorWaitMs: z.number().int().min(0).max(60_000).optional(),
  /** True if the query must not be sent to a remote embedding model; keyword search then answers alone. */
  staysHere: z.boolean().optional(),
  /** Milliseconds to wait until recently saved files are indexed; `stale` is true if that was too short. */
  catchUpMs: z.number().int().min(0).max(60_000).optional(),
  /** Conditions of the query to ignore, as written there. */
  without: z.array(z.string().max(maxQuery)).max(50).optional(),
})
export type SearchOptions = z.infer<typeof searchOptionsSchema>

/** A part of the query that filters results (`in:2024-05`, `-draft`) or boosts them (`last week`). */
export const conditionSchema = z.object({
  kind: z.enum(['after', 'before', 'on', 'in', 'path', 'source', 'tag', 'property', 'not', 'time']),
  text: z.string(),
  /** True if `without` names it. */
  isOff: z.boolean(),
  /** Days of the range, `YYYY-MM-DD`, inclusive; null for an open end or a condition that is not a date. */
  from: z.string().nullable(),
  to: z.string().nullable(),
  /** True if the value could not be parsed; the condition was searched as plain words. */
  isUnread: z.boolean().optional(),
})
export type Condition = z.infer<typeof conditionSchema>

export const searchResponseSchema = z.object({
  query: z.string(),
  results: z.array(searchResultSchema),
  candidates: z.number().int(),
  provider: z.string(),
  model: z.string(),
  /** True if the index lacked pending changes. */
  stale: z.boolean(),
  /** Reason why the index accepts no changes, such as a full disk. */
  standstill: z.string().optional(),
  minScore: z.number(),
  weights: weightsSchema,
  /** Omitted if the query has none. */
  conditions: z.array(conditionSchema).optional(),
  notice: retrieverNoticeSchema.nullable(),
  timings: timingsSchema,
})
export type SearchResponse = z.infer<typeof searchResponseSchema>

/**
 * Vector score of one candidate. `rank` is 1-based among the candidates; `contribution` is the part of the final score.
 */
export const vectorScoreSchema = z.object({
  raw: z.number(),
  score: z.number(),
  rank: z.number().int(),
  contribution: z.number(),
  /** Passage that `raw` is the cosine of: lines in the file, 1-based, inclusive. */
  startLine: z.number().int(),
  endLine: z.number().int(),
  /**
   * Contribution of each query word to `raw`, largest first, with the closest word of the passage. The contributions
   * add up to `raw`. Omitted if the model cannot provide them.
   */
  terms: z.array(z.object({ term: z.string(), nearest: z.string(), share: z.number() })).optional(),
})
export const textScoreSchema = z.object({
  raw: z.number(),
  score: z.number(),
  rank: z.number().int(),
  contribution: z.number(),
  /** Part of the query's weight that the candidate matches; input for the step from `raw` to `score`. */
  share: z.number(),
  /**
   * Shares add up to `share`. `instead`: a spelling from the memory that replaces an unknown query word; `alike`: a
   * related word that matched with a lower weight.
   */
  terms: z.array(
    z.object({
      term: z.string(),
      instead: z.string().optional(),
      alike: z.string().optional(),
      share: z.number(),
    }),
  ),
})

export const verdictSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('returned'), rank: z.number().int() }),
  z.object({ kind: z.literal('belowMinScore') }),
  z.object({ kind: z.literal('beyondMaxResults') }),
  /** `isEcho`: a session passage that repeats a file, merged into result #`into`. */
  z.object({ kind: z.literal('folded'), into: z.number().int(), isEcho: z.boolean().optional() }),
  /** `by`: the filters it fails, as written in the query. */
  z.object({ kind: z.literal('outsideFilter'), by: z.array(z.string()) }),
])
export type Verdict = z.infer<typeof verdictSchema>

const resultShape = searchResultSchema.omit({ score: true, vectorScore: true, textScore: true }).shape

export const candidateSchema = z.object({
  ...resultShape,
  vector: vectorScoreSchema.nullable(),
  text: textScoreSchema.nullable(),
  /**
   * Added so that the other retriever cannot push a chunk below the threshold that one retriever alone would return.
   */
  lift: z.number(),
  /**
   * Factors in the order of application: `score = (Σ contributions + lift) × Π factors`. `time`: the date matches the
   * phrase `of`. `echo`: a session that repeats a file with a higher score; `of` is the file's path and lines.
   * `superseded`: no longer valid; `of` is the replacement. `successor`: replaces `of`, which matched.
   */
  modifiers: z.array(
    z.object({
      name: z.enum(['recency', 'time', 'echo', 'superseded', 'successor']),
      factor: z.number(),
      of: z.string().optional(),
    }),
  ),
  /** The part of a session passage that is the user's question itself; its words do not count. */
  question: z.string().optional(),
  score: z.number(),
  verdict: verdictSchema,
})
export type Candidate = z.infer<typeof candidateSchema>

export const lineExplanationSchema = z.object({
  path: z.string(),
  line: z.number().int(),
  /** Null if no chunk of the index covers the line. */
  candidate: candidateSchema.nullable(),
  /** 1-based rank among all candidates; null if the chunk was not a candidate. */
  rank: z.number().int().nullable(),
  /** `local`: the note is fully or partly hidden from the client; does not depend on the query. */
  reason: z.enum([
    'returned',
    'belowMinScore',
    'beyondMaxResults',
    'folded',
    'outsideFilter',
    'notIndexed',
    'noMatch',
    'local',
  ]),
  /** With `notIndexed`: the reason. */
  unsearched: indexExclusionSchema.optional(),
})

export const explanationSchema = z.object({
  query: z.string(),
  weights: weightsSchema,
  minScore: z.number(),
  maxResults: z.number().int(),
  provider: z.string(),
  model: z.string(),
  stale: z.boolean(),
  standstill: z.string().optional(),
  notice: retrieverNoticeSchema.nullable(),
  timings: timingsSchema,
  /** Scale of text shares: `share = evidence × raw / best`; both values are those of the best passage. */
  scale: z.object({ evidence: z.number(), best: z.number() }),
  /**
   * Calibration of cosines for this query, null if vector search is off: `r = (raw − background) / (threshold −
   * background)`, at least 0, and `score = r^power / (r^power + 1 / 0.35 − 1)`. `worth`: how well the model separates
   * the texts of this memory, from 0 (chance) to 1 (perfect).
   */
  vectorScale: z
    .object({ background: z.number(), threshold: z.number(), power: z.number(), worth: z.number() })
    .nullable(),
  /** `weight`: weight of the term, from its rarity and its role in the query. */
  terms: z.array(
    z.object({
      term: z.string(),
      instead: z.string().optional(),
      alike: z.string().optional(),
      idf: z.number(),
      weight: z.number(),
      documents: z.number().int(),
    }),
  ),
  conditions: z.array(conditionSchema),
  candidates: z.array(candidateSchema),
  why: lineExplanationSchema.optional(),
})
export type Explanation = z.infer<typeof explanationSchema>

export const recalledLinesSchema = z.object({
  path: z.string(),
  startLine: z.number().int(),
  endLine: z.number().int(),
  score: z.number(),
  snippet: z.string(),
  /** `cited`: the answer names the lines; `read`: the agent opened the file; null for neither. */
  use: z.enum(['cited', 'read']).nullable(),
})
export type RecalledLines = z.infer<typeof recalledLinesSchema>

/** A `memory_search` call of an agent, with its results at that time. */
export const recallSchema = z.object({
  id: z.string(),
  session: z.string(),
  title: z.string(),
  /** Id of the user message being answered. */
  message: z.string(),
  question: z.string(),
  /** Milliseconds since the epoch. */
  at: z.number(),
  query: z.string(),
  minScore: z.number(),
  /** Number of chunks considered; if `results` is empty, all were below the threshold. */
  candidates: z.number().int(),
  results: z.array(recalledLinesSchema),
})
export type Recall = z.infer<typeof recallSchema>

export const search = {
  query: base
    .input(
      forAgent.extend({
        query: z.string().max(maxQuery),
        options: searchOptionsSchema.optional(),
        forProgram: forProgramSchema,
      }),
    )
    .output(searchResponseSchema),
  explain: base
    .input(
      forAgent.extend({
        query: z.string().max(maxQuery),
        options: searchOptionsSchema.optional(),
        why: z.object({ path: filePathSchema, line: z.number().int().min(1) }).optional(),
        forProgram: forProgramSchema,
      }),
    )
    .output(explanationSchema),
  /** Searches made by the agent, newest first. */
  recalls: base.input(forAgent).output(z.array(recallSchema)),
  settings: base.input(forAgent).output(searchSettingsSchema),
  /** Returns the previous settings. */
  setSettings: base.input(forAgent.extend({ settings: searchSettingsSchema })).output(searchSettingsSchema),
  scope: base.input(forAgent).output(memoryScopeSchema),
  /** Changes the scope; the index follows. @returns the previous scope */
  setScope: base.input(forAgent.extend({ scope: memoryScopeSchema })).output(memoryScopeSchema),
  /** Turns session search on or off. @returns the previous value */
  setSessions: base.input(forAgent.extend({ sessions: z.boolean() })).output(z.boolean()),
  /** Finds notes with similar content by their vectors, most similar first; empty if there are no vectors. */
  nearNotes: base.input(forAgent.extend({ path: filePathSchema })).output(z.array(similarNoteSchema)),
  status: base.input(forAgent).output(indexStatusSchema),
  /** Reports the texts that the model `of` (default: the model in use) would receive, and the quality of the model in use. */
  meaning: base.input(forAgent.extend({ of: embeddingModelSchema.optional() })).output(embeddingQualitySchema),
  /**
   * Waits until the index matches the files and, with `vectors`, until every chunk has its vector or none can be
   * computed. `settled` is false on a timeout. `indexBytes`: size of the index on disk.
   */
  settle: base
    .input(forAgent.extend({ vectors: z.boolean().default(false) }))
    .output(z.object({ settled: z.boolean(), status: indexStatusSchema, indexBytes: z.number() })),
  /** Reads every file again, regardless of its modification time. */
  reindex: base.input(forAgent).output(indexStatusSchema),
}
