/** What search by meaning has to go on in a memory, and what a model for it would be sent. */
import { z } from 'zod'
import { embeddingProviders } from '../util/providers.ts'
import { filePathSchema } from './base.ts'

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
  dimensions: z.number().int().optional(),
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
