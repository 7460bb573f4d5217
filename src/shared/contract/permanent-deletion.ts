import { eventIterator } from '@orpc/contract'
import { z } from 'zod'
import { maxSearchText } from '../util/limits.ts'
import { done, filePathSchema, forAgent, progressSchema, rpc } from './base.ts'

const deletionPlaceSchema = z.object({
  /**
   * `trash`: a deleted file · `other`: another workspace file · `chat`: a transcript · `request`: a captured model
   * request · `output`: stored tool output · `history`: versions of a file · `oldHistory`: a damaged or older history;
   * it cannot be searched · `check`: a saved query · `proposal`: a proposed change · `draft`: unsent or unsaved text
   * · `state`: another app file, such as the settings. A deletion changes neither `other` nor `state`.
   */
  kind: z.enum([
    'note',
    'trash',
    'other',
    'chat',
    'request',
    'output',
    'history',
    'oldHistory',
    'index',
    'check',
    'proposal',
    'draft',
    'log',
    'state',
  ]),
  path: z.string(),
  /** Number of lines with the text; for a history, number of versions. 0 if the place cannot be searched. */
  count: z.int(),
  lines: z.array(z.object({ line: z.int().optional(), text: z.string() })),
  /** True if the path contains the text, so the whole note is deleted. */
  isNamed: z.boolean().optional(),
  bytes: z.int().optional(),
  /** True if lines that stay lose a privacy mark; they get their own. */
  keepsPrivate: z.boolean().optional(),
})
export type DeletionPlace = z.infer<typeof deletionPlaceSchema>

const matchesSchema = z.object({
  places: z.array(deletionPlaceSchema),
  /** Lines with a similar meaning; the user selects them one by one. */
  near: z.array(z.object({ path: z.string(), line: z.int(), text: z.string() })),
  /** The user's own Git repository. */
  git: z.string().nullable(),
  models: z.array(z.string()),
})
export type DeletionMatches = z.infer<typeof matchesSchema>

const outcomeSchema = z.object({
  removed: z.array(deletionPlaceSchema.pick({ kind: true, path: true })),
  /** Places that still contain the text, found by a search afterwards, and those that cannot be searched. */
  left: z.array(deletionPlaceSchema),
  isStopped: z.boolean(),
})
export type DeletionOutcome = z.infer<typeof outcomeSchema>

const stepSchema = z.union([progressSchema, outcomeSchema])
export type DeletionStep = z.infer<typeof stepSchema>

const textSchema = z.string().trim().min(1).max(maxSearchText)

export const deletionRequestSchema = z.object({
  texts: z.array(textSchema).min(1).max(51),
  keep: z.array(filePathSchema).max(5000).default([]),
  /** These cannot be searched. */
  deleteOldHistory: z.boolean().default(false),
})
export type DeletionRequest = z.infer<typeof deletionRequestSchema>

export const permanentDeletion = {
  /** @throws AppError 'input_invalid' if the text is too short */
  find: rpc(forAgent.extend({ words: textSchema }), matchesSchema),
  /** Runs to its end if the caller disconnects. @throws AppError 'input_invalid', 'session_busy', 'file_busy' */
  run: rpc(forAgent.extend(deletionRequestSchema.shape), eventIterator(stepSchema)),
  stop: rpc(forAgent, done),
}
