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

/** Role of a file: long-term memory, daily log, project context or other note. */
export const fileKindSchema = z.enum(['memory', 'log', 'project', 'note'])
export type FileKind = z.infer<typeof fileKindSchema>

export const filePrivacySchema = z.object({
  /** True if the whole file is private; false if only sections or entries are. */
  isWhole: z.boolean(),
  /** The folder or file rule of the settings that applies. */
  rule: z.string().optional(),
  /** Invalid value of the property `visibility`; valid are `private`, `local` and `all`. */
  problem: z.string().optional(),
})

export const fileEntrySchema = z.object({
  path: z.string(),
  kind: fileKindSchema,
  /** For a daily log: its day, `YYYY-MM-DD`. */
  date: z.string().optional(),
  /** Bytes. */
  size: z.number(),
  modifiedAt: timestampSchema,
  words: z.number().int(),
  tokens: z.number().int(),
  /** Reason why it is not searchable; undefined if it is. */
  unsearched: indexExclusionSchema.optional(),
  /** Undefined if the file has no private text. */
  privacy: filePrivacySchema.optional(),
})
export type FileEntry = z.infer<typeof fileEntrySchema>

/** Fields that follow from the path alone. */
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
  /** Lists the same files as `list` without reading metadata from disk. */
  names: base.input(forAgent).output(z.array(listedFileSchema)),
  list: base.input(forAgent.extend({ forProgram: forProgramSchema })).output(z.array(fileEntrySchema)),
  /** Symlinks in the workspace (neither listed nor indexed); `paths` contains the first of them. */
  links: base.input(forAgent).output(z.object({ count: z.number().int(), paths: z.array(z.string()) })),
  /** Text files that other programs created and the user did not accept; their text counts as third-party text. */
  outside: base.input(forAgent).output(z.array(z.string())),
  accept: base.input(forAgent.extend({ paths: z.array(filePathSchema).max(100_000) })).output(done),
  /** Marks a note private or removes the mark. */
  setVisibility: base.input(forFile.extend({ isPrivate: z.boolean() })).output(changedSchema),
  /** Marks a folder private in the settings, or removes the mark. */
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
  /** Returns lines of a file, or of a session as indexed (`sessions/….jsonl`). `from` is 1-based. */
  lines: base
    .input(
      forFile.extend({
        from: z.number().int().min(1).default(1),
        count: z.number().int().min(1).max(5000),
        forProgram: forProgramSchema,
      }),
    )
    .output(z.object({ path: z.string(), lines: z.array(z.string()), total: z.number().int() })),
  /**
   * Returns a piece of an embedded image, audio, video or PDF file; request the next piece with `from` (bytes) at its
   * end. `data` is base64.
   */
  attachment: base.input(forFile.extend({ from: z.number().int().min(0).default(0) })).output(
    z.object({
      type: z.string(),
      /** Bytes of the whole file. */
      size: z.number().int(),
      data: z.string(),
    }),
  ),
  /** Saves a file to embed in the note `path`, in the vault's attachment folder. `data` is base64. */
  attach: base.input(forFile.extend({ name: z.string().min(1).max(maxName), data: z.base64().max(maxPicture) })).output(
    z.object({
      path: z.string(),
      /** The link in the vault's link style. */
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
        /** If both changes touch the same lines: fail, or keep both versions, with the lines of `text` first. */
        onConflict: z.enum(['fail', 'both']).default('fail'),
      }),
    )
    .output(z.object({ hash: z.string(), text: z.string(), merged: z.boolean() })),
  /** Unsaved edits of a file by window, newest first. */
  drafts: base.input(forFile).output(z.array(storedDraftSchema(fileDraftSchema))),
  /** Stores the window's unsaved edit; null deletes it. */
  saveDraft: base.input(forFile.extend({ writer: windowIdSchema, draft: fileDraftSchema.nullable() })).output(done),
  /** Copies the file into the same folder under a free name. */
  duplicate: base.input(forFile).output(z.object({ path: z.string() })),
  /** Moves the file to the workspace's trash. */
  remove: base.input(forFile).output(changedSchema),
  /** Shows the file in the system's file manager, or with `open` opens it in its default program. */
  reveal: base.input(forFile.extend({ open: z.boolean() })).output(done),
  /** Appends a note to today's log, or to a section of MEMORY.md. Lines are 1-based, inclusive. */
  remember: base
    .input(
      forAgent.extend({
        text: z.string().trim().min(1).max(maxNote),
        /** Heading in MEMORY.md; created if missing. */
        section: z.string().trim().min(1).max(maxTitle).optional(),
        /** The chat that the text is from. The note of a private chat is private. */
        session: sessionIdSchema.optional(),
      }),
    )
    .output(changedSchema.extend({ path: z.string(), startLine: z.number().int(), endLine: z.number().int() })),
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
