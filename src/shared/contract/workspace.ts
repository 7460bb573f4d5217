import { z } from 'zod'
import { maxName, maxNote, maxPicture, maxTitle } from '../util/limits.ts'
import {
  base,
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
} from './base.ts'
import { indexExclusionSchema } from './search.ts'

export const fileKindSchema = z.enum(['memory', 'log', 'project', 'note'])
export type FileKind = z.infer<typeof fileKindSchema>

export const filePrivacySchema = z.object({
  /** False if only sections or entries are private. */
  isWhole: z.boolean(),
  /** The folder or file rule of the settings that applies. */
  rule: z.string().optional(),
  /** Invalid value of the property `visibility`; valid are `private`, `local` and `all`. */
  problem: z.string().optional(),
})

export const fileEntrySchema = z.object({
  path: z.string(),
  kind: fileKindSchema,
  date: z.string().optional(),
  /** Bytes. */
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
  names: base.input(forAgent).output(z.array(listedFileSchema)),
  list: base.input(forAgent.extend({ forProgram: forProgramSchema })).output(z.array(fileEntrySchema)),
  /** Symlinks are not indexed; `paths` contains the first of them. */
  links: base.input(forAgent).output(z.object({ count: z.int(), paths: z.array(z.string()) })),
  /** Files of other programs that the user did not accept; their text counts as third-party text. */
  outside: base.input(forAgent).output(z.array(z.string())),
  accept: base.input(forAgent.extend({ paths: z.array(filePathSchema).max(100_000) })).output(done),
  setVisibility: base.input(forFile.extend({ isPrivate: z.boolean() })).output(changedSchema),
  /** In the settings. */
  setFolderVisibility: base
    .input(forAgent.extend({ path: z.string().min(1).max(399), isPrivate: z.boolean() }))
    .output(done),
  read: base.input(forFile.extend({ forProgram: forProgramSchema })).output(
    z.object({
      path: z.string(),
      text: z.string(),
      hash: z.string(),
      /** True for files of an extra folder or of another agent that shares its memory. */
      readOnly: z.boolean(),
      /** True if the file permissions forbid writing. */
      isProtected: z.boolean(),
    }),
  ),
  /** Also of a session as indexed (`sessions/….jsonl`). `from` is 1-based. */
  lines: base
    .input(
      forFile.extend({
        from: z.int().min(1).default(1),
        count: z.int().min(1).max(5000),
        forProgram: forProgramSchema,
      }),
    )
    .output(z.object({ path: z.string(), lines: z.array(z.string()), total: z.int() })),
  /** A piece in base64 of an embedded file. Request the next one with `from` (bytes) at its end. */
  attachment: base.input(forFile.extend({ from: z.int().min(0).default(0) })).output(
    z.object({
      type: z.string(),
      size: z.int(),
      data: z.string(),
    }),
  ),
  /** Saves a file to embed in the note `path`. `data` is base64. */
  attach: base.input(forFile.extend({ name: z.string().min(1).max(maxName), data: z.base64().max(maxPicture) })).output(
    z.object({
      path: z.string(),
      link: z.string(),
    }),
  ),
  /**
   * Saves atomically if the file still has the hash `expectedHash` (`null`: must not exist). If it changed, merges
   * changes to different lines.
   * @throws AppError 'file_changed' if both changes touch the same lines
   */
  write: base
    .input(
      forFile.extend({
        text: fileTextSchema,
        expectedHash: idSchema.nullable(),
        /** Text with the hash `expectedHash`: the common ancestor of a three-way merge. */
        baseText: fileTextSchema.optional(),
        /** `both`: keeps both versions, with the lines of `text` first. */
        onConflict: z.enum(['fail', 'both']).default('fail'),
      }),
    )
    .output(z.object({ hash: z.string(), text: z.string(), merged: z.boolean() })),
  /** Unsaved edits by window, newest first. */
  drafts: base.input(forFile).output(z.array(storedDraftSchema(fileDraftSchema))),
  saveDraft: base.input(forFile.extend({ writer: windowIdSchema, draft: fileDraftSchema.nullable() })).output(done),
  duplicate: base.input(forFile).output(z.object({ path: z.string() })),
  /** Moves the file to the workspace's trash. */
  remove: base.input(forFile).output(changedSchema),
  /** `open`: in its default program instead of the file manager. */
  reveal: base.input(forFile.extend({ open: z.boolean() })).output(done),
  /** Appends a note to today's log, or to a section of MEMORY.md. Lines are 1-based, inclusive. */
  remember: base
    .input(
      forAgent.extend({
        text: z.string().trim().min(1).max(maxNote),
        section: z.string().trim().min(1).max(maxTitle).optional(),
        /** The note of a private chat is private. */
        session: sessionIdSchema.optional(),
      }),
    )
    .output(changedSchema.extend({ path: z.string(), startLine: z.int(), endLine: z.int() })),
  /** Returns the text as `remember` saves it: with dates for relative times, such as "tomorrow". */
  datedNote: base.input(z.object({ text: z.string().max(maxNote) })).output(z.string()),
}

export const pictures = {
  /**
   * Loads an image of a note. `data` is base64; `type` is detected from the bytes, not from the response header.
   * @throws AppError `private_stays_here` if the note has private text and the user has not allowed the image
   */
  remote: base
    .input(forFile.extend({ address: z.string().min(1).max(4000), isAllowed: z.boolean() }))
    .output(z.object({ type: z.string(), data: z.string() })),
}
