import { z } from 'zod'
import { embeddingProviders } from '../util/providers.ts'
import { filePathSchema, base, forAgent, forProgramSchema, idSchema } from './base.ts'
import { maxQuery } from '../util/limits.ts'

/** All notes of the workspace, or `MEMORY.md` and what lies in `memory/`. */
export const memoryScopeSchema = z.enum(['workspace', 'memory'])
export type MemoryScope = z.infer<typeof memoryScopeSchema>

/** Why a file, or a line of one, is never found. */
export const unsearchedSchema = z.object({
  /**
   * `project`: part of every request anyway · `scope`: the setting leaves it out · `ignored`: the vault's own habit does ·
   * `hidden`: in a hidden folder, the
   * trash or `node_modules` · `notMarkdown` · `unreadable`: see `message` · `sessionsOff`: conversations are not searched ·
   * `outside`: no folder of this memory · `missing`: no such file · `pending`: not in the index yet · `emptyLine`: the
   * file is searched, and there is nothing on that line.
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
  /** Of whoever could not read it. */
  message: z.string().optional(),
})
export type Unsearched = z.infer<typeof unsearchedSchema>

export const indexStatusSchema = z.object({
  files: z.number().int(),
  chunks: z.number().int(),
  embedded: z.number().int(),
  provider: z.string(),
  model: z.string(),
  /** `starting` until the first scan ended; `failed` when no index can be had (see problems). */
  state: z.enum(['starting', 'indexing', 'rebuilding', 'ready', 'failed']),
  /** Files done and to do of the sync that is running. */
  done: z.number().int(),
  total: z.number().int(),
  /** Milliseconds until the work that is under way is done, at its speed so far. */
  etaMs: z.number().optional(),
  /** A model for embeddings that is being fetched; `share` is 0 to 1. */
  download: z.object({ file: z.string(), share: z.number() }).optional(),
  problems: z.array(
    z.object({
      code: z.string(),
      /** In the words of whoever failed. */
      message: z.string(),
      path: z.string().optional(),
      /** Milliseconds since the epoch. */
      since: z.number().optional(),
    }),
  ),
})
export type IndexStatus = z.infer<typeof indexStatusSchema>

/** Languages are told apart by their letters: most models know some and are lost in others. */
export const scripts = ['latin', 'cjk', 'other'] as const
export type Script = (typeof scripts)[number]
export const scriptSchema = z.enum(scripts)

const textsSchema = z.object({
  /** Distinct ones. */
  texts: z.number().int(),
  /** Estimated. */
  tokens: z.number().int(),
})

export const meaningSchema = z.object({
  /** All passages of the memory. */
  all: textsSchema,
  /** Those that have no vector of the model that was asked about: what its provider would be sent. */
  unsent: textsSchema,
  /** Texts beside the passages that the model is measured by and has no vectors of. */
  questions: textsSchema,
  /**
   * How well the model in use tells the texts of this memory apart, from 0 (by chance) to 1 (always), and whether that is
   * enough for it to take part. Empty while nothing is known.
   */
  /** False while that is still being found out; true also where the memory is too small for it. */
  isMeasured: z.boolean(),
  scripts: z.array(z.object({ script: scriptSchema, worth: z.number(), takesPart: z.boolean() })),
})
export type Meaning = z.infer<typeof meaningSchema>

export const embeddingModelSchema = z.object({
  provider: z.enum(embeddingProviders),
  model: z.string().max(500),
  /** Where it is asked, if not at its provider's own address. */
  baseUrl: z.string().max(2000).optional(),
})
export type EmbeddingModel = z.infer<typeof embeddingModelSchema>

/** A note that is about what another one is about, with the two passages that make it so; lines 1-based. */
export const nearNoteSchema = z.object({
  path: filePathSchema,
  line: z.number().int(),
  endLine: z.number().int(),
  /** The beginning of its passage. */
  text: z.string(),
  /** Where the other note's passage begins. */
  from: z.number().int(),
  cosine: z.number(),
  /** How far the cosine stands above what the other note's passage has in common with any, in standard deviations. */
  deviations: z.number(),
})
export type NearNote = z.infer<typeof nearNoteSchema>

export const sourceSchema = z.enum(['memory', 'sessions', 'extra', 'shared'])

/**
 * Why one leg of the search could not answer, or takes no part; the other carries on with its weight. `vectors_few`:
 * memory has too few passages to learn from what a model's cosines mean; `vectors_measuring`: that is being learnt. `vectors_weak`: the model does not tell texts of
 * the question's script apart. `vectors_local`: what lacks vectors stays on this machine, where the model is a remote one;
 * `query_local`: so does the question, whose words are theirs or may be.
 */
export const legNoticeSchema = z.object({
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
  /** In the words of whoever failed. */
  message: z.string(),
  /** With `vectors_incomplete` and `vectors_local`: chunks without vectors. */
  count: z.number().int().optional(),
  /** With `vectors_weak`. */
  script: scriptSchema.optional(),
  /** When it began, milliseconds since the epoch. */
  since: z.number().optional(),
})

export const searchResultSchema = z.object({
  path: z.string(),
  /** 1-based, inclusive. */
  startLine: z.number().int(),
  endLine: z.number().int(),
  /** The lines of it that the search found, 1-based, inclusive; older transcripts do not say. */
  found: z.object({ startLine: z.number().int(), endLine: z.number().int() }).optional(),
  heading: z.string(),
  /** What its note calls itself, of several names the one that was asked for; left out where that is its path alone. */
  title: z.string().optional(),
  /** In [0, 1]: the weighted sum of the leg scores, after modifiers. */
  score: z.number(),
  /** In [0, 1]; null when the leg is off. */
  vectorScore: z.number().nullable(),
  textScore: z.number().nullable(),
  snippet: z.string(),
  /** Its first line in the file, 1-based; older transcripts do not say. */
  snippetLine: z.number().int().optional(),
  /** Words of the snippet that matched, as they stand there. */
  matched: z.array(z.string()),
  source: sourceSchema,
  /** It held until then (M61); `by` is where what holds now stands, `path:line`. Left out for what holds. */
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

/** How an agent searches, as its settings have it. */
export const searchSettingsSchema = z.object({
  /** `auto`: by what the vectors of this index were measured to be worth. */
  weights: z.union([z.literal('auto'), weightsSchema]),
  minScore: z.number().min(0).max(1),
  maxResults: z.number().int().min(1).max(100),
  /** Days after which a dated file counts half; null for no decay. */
  recencyHalfLifeDays: z.number().positive().nullable(),
  /** Balance of relevance (1) and diversity (0); null for no re-ordering. */
  mmrLambda: z.number().min(0).max(1).nullable(),
})
export type SearchSettings = z.infer<typeof searchSettingsSchema>

/** What a caller may override for one search; everything left out comes from the agent's settings. */
export const searchOptionsSchema = searchSettingsSchema.partial().extend({
  maxResults: z.number().int().min(1).max(1000).optional(),
  /** A conversation to leave out: the one that asks would find its own question. */
  excludeSession: idSchema.optional(),
  /** How long to wait for the query's vector, ms; as long as the provider's health allows when left out. */
  vectorWaitMs: z.number().int().min(0).max(60_000).optional(),
  /** The question is sent to no other machine: where the embedding model is on one, words alone answer. */
  staysHere: z.boolean().optional(),
  /** How long to wait for files that were just saved, ms; the answer says when that was not long enough. */
  catchUpMs: z.number().int().min(0).max(60_000).optional(),
  /** Conditions of the query that do not hold, as they stand there. */
  without: z.array(z.string().max(maxQuery)).max(50).optional(),
})
export type SearchOptions = z.infer<typeof searchOptionsSchema>

/** A part of the query that keeps results out (`in:2024-05`, `-draft`) or raises them (`last week`). */
export const conditionSchema = z.object({
  kind: z.enum(['after', 'before', 'on', 'in', 'path', 'source', 'tag', 'property', 'not', 'time']),
  /** As it stands in the query. */
  text: z.string(),
  /** It was taken off (`without`). */
  isOff: z.boolean(),
  /** The days that it means, `YYYY-MM-DD`, inclusive; null for an open end, and for what is no time. */
  from: z.string().nullable(),
  to: z.string().nullable(),
  /** Its value could not be read: it was searched as words. */
  isUnread: z.boolean().optional(),
})
export type Condition = z.infer<typeof conditionSchema>

export const searchResponseSchema = z.object({
  query: z.string(),
  results: z.array(searchResultSchema),
  /** How many chunks were considered in all. */
  candidates: z.number().int(),
  provider: z.string(),
  model: z.string(),
  /** True when changes were pending and answered from the index as it was. */
  stale: z.boolean(),
  /** Why the index takes in no changes at all, such as a full disk. */
  standstill: z.string().optional(),
  minScore: z.number(),
  weights: weightsSchema,
  /** Left out where the query has none. */
  conditions: z.array(conditionSchema).optional(),
  notice: legNoticeSchema.nullable(),
  timings: timingsSchema,
})
export type SearchResponse = z.infer<typeof searchResponseSchema>

/** One leg of one candidate. `rank` is 1-based among the candidates; `contribution` is what it added to the score. */
export const vectorLegSchema = z.object({
  raw: z.number(),
  score: z.number(),
  rank: z.number().int(),
  contribution: z.number(),
  /** The passage that `raw` is the cosine of: its lines in the file, 1-based, inclusive. */
  startLine: z.number().int(),
  endLine: z.number().int(),
  /**
   * What each word of the question gives to `raw`, largest first, with the nearest word of the passage; they sum to it.
   * Left out where the model cannot tell.
   */
  terms: z.array(z.object({ term: z.string(), nearest: z.string(), share: z.number() })).optional(),
})
export const textLegSchema = z.object({
  raw: z.number(),
  score: z.number(),
  rank: z.number().int(),
  contribution: z.number(),
  /** How much of what was asked for it stands for; the step from `raw` to `score`. */
  share: z.number(),
  /**
   * Their shares sum to `share`. `instead`: what memory has in the place of a word that it lacks; `alike`: words of memory
   * that mean something like it, and count as it does, less.
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
  /** `isEcho`: what a conversation has of it stands in the file that is #`into`. */
  z.object({ kind: z.literal('folded'), into: z.number().int(), isEcho: z.boolean().optional() }),
  /** `by`: the filters that it fails, as they stand in the query. */
  z.object({ kind: z.literal('outsideFilter'), by: z.array(z.string()) }),
])
export type Verdict = z.infer<typeof verdictSchema>

/** Where a chunk stands and what is shown of it. */
const shownShape = searchResultSchema.omit({ score: true, vectorScore: true, textScore: true }).shape

export const candidateSchema = z.object({
  ...shownShape,
  vector: vectorLegSchema.nullable(),
  text: textLegSchema.nullable(),
  /** What is added so that a chunk which one leg alone would return is not kept out by the other. */
  lift: z.number(),
  /**
   * Factors that were applied in order: `score = (Σ contributions + lift) × Π factors`. `time`: it is of the days that
   * `of` names. `echo`: a conversation says the same, found with a higher score; `of` is its path and lines.
   * `superseded`: it does not hold any more; `of` is where what holds stands. `successor`: it took the place of `of`,
   * which was found.
   */
  modifiers: z.array(
    z.object({
      name: z.enum(['recency', 'mmr', 'time', 'echo', 'superseded', 'successor']),
      factor: z.number(),
      of: z.string().optional(),
    }),
  ),
  /** What of a conversation was the question itself: it counts for nothing. */
  question: z.string().optional(),
  score: z.number(),
  verdict: verdictSchema,
})
export type Candidate = z.infer<typeof candidateSchema>

export const whySchema = z.object({
  path: z.string(),
  line: z.number().int(),
  /** Null when no chunk of the index covers the line. */
  candidate: candidateSchema.nullable(),
  /** 1-based rank among all candidates, or null when the chunk was no candidate at all. */
  rank: z.number().int().nullable(),
  /** `local`: whoever asks may not see the note, or not all of it, and is told the same whatever the question (M64). */
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
  /** With `notIndexed`: what keeps it out of the search altogether. */
  unsearched: unsearchedSchema.optional(),
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
  notice: legNoticeSchema.nullable(),
  timings: timingsSchema,
  /** What shares are measured by: `share = evidence × raw / best`, both of the best passage found. */
  scale: z.object({ evidence: z.number(), best: z.number() }),
  /**
   * What cosines mean for this question, null when the leg is off: `r = (raw − background) / (threshold − background)`,
   * at least 0, and `score = r^power / (r^power + 1 / 0.35 − 1)`. `worth`: how well the model finds texts of this memory
   * by others that belong to them, from 0 (by chance) to 1 (always).
   */
  vectorScale: z
    .object({ background: z.number(), threshold: z.number(), power: z.number(), worth: z.number() })
    .nullable(),
  /** `weight`: what a term counts where it is found, by its rarity and what it does in the question. */
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
  why: whySchema.optional(),
})
export type Explanation = z.infer<typeof explanationSchema>

/** Lines that an agent was given by a search. */
export const recalledLinesSchema = z.object({
  path: z.string(),
  startLine: z.number().int(),
  endLine: z.number().int(),
  score: z.number(),
  snippet: z.string(),
  /** What the answer did with them: named them, or had the file read; null for neither. */
  use: z.enum(['cited', 'read']).nullable(),
})
export type RecalledLines = z.infer<typeof recalledLinesSchema>

/** One `memory_search` that an agent made, with its results as they were. */
export const recallSchema = z.object({
  /** Of the tool call. */
  id: z.string(),
  session: z.string(),
  title: z.string(),
  /** The user's message that was being answered. */
  message: z.string(),
  question: z.string(),
  /** Milliseconds since the epoch. */
  at: z.number(),
  query: z.string(),
  minScore: z.number(),
  /** How many chunks were considered; with none of them returned, all were below the threshold. */
  candidates: z.number().int(),
  results: z.array(recalledLinesSchema),
})
export type Recall = z.infer<typeof recallSchema>

/** In tokens; chunks share up to `overlap` with the one before. */
export const chunkSizeSchema = z
  .object({ tokens: z.number().int().min(32).max(8192), overlap: z.number().int().min(0).max(4096) })
  .refine(({ tokens, overlap }) => overlap * 2 <= tokens, 'an overlap of at most half of the chunk')
export type ChunkSize = z.infer<typeof chunkSizeSchema>

const rechunkedSchema = z.object({ chunks: z.number().int(), explanation: explanationSchema })

/** The same files cut as they are now and otherwise. */
export const rechunkSchema = z.object({
  before: rechunkedSchema,
  after: rechunkedSchema,
  /** How many files were tried, of how many there are. */
  files: z.number().int(),
  of: z.number().int(),
})
export type Rechunk = z.infer<typeof rechunkSchema>

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
  /** What the agent looked for by itself, newest first. */
  recalls: base.input(forAgent).output(z.array(recallSchema)),
  settings: base.input(forAgent).output(searchSettingsSchema),
  /** @returns what was in force before */
  setSettings: base.input(forAgent.extend({ settings: searchSettingsSchema })).output(searchSettingsSchema),
  scope: base.input(forAgent).output(memoryScopeSchema),
  /** The index goes over to it. @returns what was in force before */
  setScope: base.input(forAgent.extend({ scope: memoryScopeSchema })).output(memoryScopeSchema),
  /** Conversations are searched too, or not. @returns what was in force before */
  setSessions: base.input(forAgent.extend({ sessions: z.boolean() })).output(z.boolean()),
  chunk: base.input(forAgent).output(chunkSizeSchema),
  /** Builds the index anew. @returns what was in force before */
  setChunk: base.input(forAgent.extend({ chunk: chunkSizeSchema })).output(chunkSizeSchema),
  /** What would be found if chunks were of another size; by keywords only, on part of the memory. */
  rechunk: base
    .input(
      forAgent.extend({
        query: z.string().min(1).max(maxQuery),
        chunk: chunkSizeSchema,
        options: searchOptionsSchema.optional(),
      }),
    )
    .output(rechunkSchema),
  /** Notes that are about what a note is about, by meaning, the nearest first; empty while there are no vectors. */
  nearNotes: base.input(forAgent.extend({ path: filePathSchema })).output(z.array(nearNoteSchema)),
  status: base.input(forAgent).output(indexStatusSchema),
  /** What a model would be sent, and what the one in use is worth here; the one in use when none is named. */
  meaning: base.input(forAgent.extend({ of: embeddingModelSchema.optional() })).output(meaningSchema),
  /**
   * Waits until the index is in step with the files (`settled` is false when that took too long), and, when asked to,
   * until every chunk has its vector or none can be had. `indexBytes`: the index on disk.
   */
  settle: base
    .input(forAgent.extend({ vectors: z.boolean().default(false) }))
    .output(z.object({ settled: z.boolean(), status: indexStatusSchema, indexBytes: z.number() })),
  /** Reads every file anew, whatever its time stamp says. */
  reindex: base.input(forAgent).output(indexStatusSchema),
}
