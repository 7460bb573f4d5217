import { z } from 'zod'
import { maxName, maxNote, maxPicture, maxTitle } from '../util/limits.ts'
import {
  changedSchema,
  done,
  filePathSchema,
  forProgramSchema,
  fileTextSchema,
  forAgent,
  forFile,
  idSchema,
  sessionIdSchema,
  storedDraftSchema,
  windowIdSchema,
  timestampSchema,
  rpc,
} from './base.ts'
import { indexExclusionSchema } from './search.ts'

export const fileKindSchema = z.enum(['memory', 'log', 'project', 'note'])
export type FileKind = z.infer<typeof fileKindSchema>

export const filePrivacySchema = z.object({
  /** False if only sections or entries are private. */
  isWhole: z.boolean(),
  rule: z.string().optional(),
  /** Invalid value of the property `visibility`; valid are `private`, `local` and `all`. */
  problem: z.string().optional(),
})

export const fileEntrySchema = z.object({
  path: z.string(),
  kind: fileKindSchema,
  date: z.string().optional(),
  size: z.number(),
  modifiedAt: timestampSchema,
  words: z.int(),
  tokens: z.int(),
  unsearched: indexExclusionSchema.optional(),
  privacy: filePrivacySchema.optional(),
})
export type FileEntry = z.infer<typeof fileEntrySchema>

export const listedFileSchema = fileEntrySchema.pick({ path: true, kind: true, date: true, unsearched: true })
export type ListedFile = z.infer<typeof listedFileSchema>

export const fileDraftSchema = z.object({
  text: fileTextSchema,
  /** Text when the edit began: the common ancestor of a merge. */
  baseText: fileTextSchema,
  baseHash: idSchema.nullable(),
})
export type FileDraft = z.infer<typeof fileDraftSchema>

export const workspace = {
  /** The same files as `list`, without reading them. */
  names: rpc(forAgent, z.array(listedFileSchema)),
  list: rpc(forAgent.extend({ forProgram: forProgramSchema }), z.array(fileEntrySchema)),
  /** Symlinks are not indexed; `paths` contains the first of them. */
  links: rpc(forAgent, { count: z.int(), paths: z.array(z.string()) }),
  /** Files of other programs that the user did not accept; their text counts as third-party text. */
  outside: rpc(forAgent, z.array(z.string())),
  accept: rpc(forAgent.extend({ paths: z.array(filePathSchema).max(100_000) }), done),
  setVisibility: rpc(forFile.extend({ isPrivate: z.boolean() }), changedSchema),
  setFolderVisibility: rpc(forAgent.extend({ path: z.string().min(1).max(399), isPrivate: z.boolean() }), done),
  read: rpc(forFile.extend({ forProgram: forProgramSchema }), {
    path: z.string(),
    text: z.string(),
    hash: z.string(),
    /** True for files of an extra folder or of another agent that shares its memory. */
    readOnly: z.boolean(),
    isProtected: z.boolean(),
  }),
  /** Also of a session as indexed (`sessions/….jsonl`). `from` is 1-based. `sources`: of the note and the first entry. */
  lines: rpc(
    forFile.extend({
      from: z.int().min(1).default(1),
      count: z.int().min(1).max(5000),
      forProgram: forProgramSchema,
    }),
    { path: z.string(), lines: z.array(z.string()), total: z.int(), sources: z.array(z.string()) },
  ),
  /** A piece in base64 of an embedded file. Request the next one with `from` (bytes) at its end. */
  attachment: rpc(forFile.extend({ from: z.int().min(0).default(0) }), {
    type: z.string(),
    size: z.int(),
    data: z.string(),
  }),
  /** Saves a file to embed in the note `path`. `data` is base64. */
  attach: rpc(forFile.extend({ name: z.string().min(1).max(maxName), data: z.base64().max(maxPicture) }), {
    path: z.string(),
    link: z.string(),
  }),
  /**
   * Saves atomically if the file still has the hash `expectedHash` (`null`: must not exist). If it changed, merges
   * changes to different lines.
   * @throws AppError 'file_changed' if both changes touch the same lines
   */
  write: rpc(
    forFile.extend({
      text: fileTextSchema,
      expectedHash: idSchema.nullable(),
      /** Text with the hash `expectedHash`: the common ancestor of a three-way merge. */
      baseText: fileTextSchema.optional(),
      /** `both`: keeps both versions, with the lines of `text` first. */
      onConflict: z.enum(['fail', 'both']).default('fail'),
    }),
    { hash: z.string(), text: z.string(), merged: z.boolean() },
  ),
  drafts: rpc(forFile, z.array(storedDraftSchema(fileDraftSchema))),
  saveDraft: rpc(forFile.extend({ writer: windowIdSchema, draft: fileDraftSchema.nullable() }), done),
  duplicate: rpc(forFile, { path: z.string() }),
  remove: rpc(forFile, changedSchema),
  /** `open`: in its default program instead of the file manager. */
  reveal: rpc(forFile.extend({ open: z.boolean() }), done),
  /** Appends a note to today's log, or to a section of MEMORY.md. Lines are 1-based, inclusive. */
  remember: rpc(
    forAgent.extend({
      text: z.string().trim().min(1).max(maxNote),
      section: z.string().trim().min(1).max(maxTitle).optional(),
      /** The note of a private chat is private. */
      session: sessionIdSchema.optional(),
    }),
    changedSchema.extend({ path: z.string(), startLine: z.int(), endLine: z.int() }),
  ),
  /** Returns the text as `remember` saves it: with dates for relative times, such as "tomorrow". */
  datedNote: rpc(z.object({ text: z.string().max(maxNote) }), z.string()),
}

export const pictures = {
  /** `data` is base64; `type` is detected from the bytes. @throws AppError `private_stays_here` */
  remote: rpc(forFile.extend({ address: z.string().min(1).max(4000), isAllowed: z.boolean() }), {
    type: z.string(),
    data: z.string(),
  }),
}
