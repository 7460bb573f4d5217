import { z } from 'zod'
import { base, filePathSchema, forAgent } from './base.ts'

/** What a file is to the agent: long-term memory, a daily log, a project-context file, or anything else. */
export const fileKindSchema = z.enum(['memory', 'log', 'project', 'note'])
export type FileKind = z.infer<typeof fileKindSchema>

export const fileEntrySchema = z.object({
  path: z.string(),
  kind: fileKindSchema,
  /** For a daily log: the day it is named after, `YYYY-MM-DD`. */
  date: z.string().optional(),
  /** Bytes. */
  size: z.number(),
  /** Milliseconds since the epoch. */
  modifiedAt: z.number(),
  words: z.number().int(),
  tokens: z.number().int(),
})
export type FileEntry = z.infer<typeof fileEntrySchema>

export const files = {
  list: base.input(forAgent).output(z.array(fileEntrySchema)),
  read: base
    .input(forAgent.extend({ path: filePathSchema }))
    .output(z.object({ path: z.string(), text: z.string(), hash: z.string(), readOnly: z.boolean() })),
  /**
   * Saves atomically if the file is still what `expectedHash` names (`null`: must not exist yet).
   * A change made underneath is merged when the two do not touch; else the request fails with `file_changed`.
   */
  write: base
    .input(
      forAgent.extend({
        path: filePathSchema,
        text: z.string().max(50_000_000),
        expectedHash: z.string().nullable(),
        /** The text that `expectedHash` stands for: the common ancestor of a three-way merge. */
        baseText: z.string().max(50_000_000).optional(),
      }),
    )
    .output(z.object({ hash: z.string(), text: z.string(), merged: z.boolean() })),
  /** Takes a recorded change back by applying its patch in reverse. */
  undo: base
    .input(forAgent.extend({ path: filePathSchema, patch: z.string().max(10_000_000) }))
    .output(z.object({ hash: z.string() })),
  /** Appends a note to today's log. Lines are 1-based and inclusive. */
  remember: base
    .input(forAgent.extend({ text: z.string().min(1).max(100_000) }))
    .output(z.object({ path: z.string(), startLine: z.number().int(), endLine: z.number().int() })),
}
