import { z } from 'zod'
import { maxName, maxNote, maxPatch, maxPicture, maxTitle } from '../util/limits.ts'
import {
  base,
  filePathSchema,
  forProgramSchema,
  fileTextSchema,
  forAgent,
  idSchema,
  keptDraft,
  windowIdSchema,
} from './base.ts'
import { unsearchedSchema } from './search.ts'

/** What a file is to the agent: long-term memory, a daily log, a project-context file, or anything else. */
export const fileKindSchema = z.enum(['memory', 'log', 'project', 'note'])
export type FileKind = z.infer<typeof fileKindSchema>

export const localSchema = z.object({
  /** All of it; else some of its sections or lines. */
  isWhole: z.boolean(),
  /** The folder or file of the settings that says so. */
  rule: z.string().optional(),
  /** What its front matter says in place of `local` or `all`. */
  problem: z.string().optional(),
})

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
  /** Why no search finds it; left out where searches do. */
  unsearched: unsearchedSchema.optional(),
  /** What of it stays on this machine; left out where nothing does. */
  local: localSchema.optional(),
})
export type FileEntry = z.infer<typeof fileEntrySchema>

/** What its path alone tells of a file. */
export const listedFileSchema = fileEntrySchema.pick({ path: true, kind: true, date: true, unsearched: true })
export type ListedFile = z.infer<typeof listedFileSchema>

export const fileDraftSchema = z.object({
  text: fileTextSchema,
  /** What the typing began with: the common ancestor of a merge. */
  baseText: fileTextSchema,
  baseHash: idSchema.nullable(),
})
export type FileDraft = z.infer<typeof fileDraftSchema>

export const workspace = {
  /** The same files as `list`, before any of them is asked about. */
  names: base.input(forAgent).output(z.array(listedFileSchema)),
  list: base.input(forAgent.extend({ forProgram: forProgramSchema })).output(z.array(fileEntrySchema)),
  /** Links on the disk to other files and folders, which no list and no search follows; `paths` are the first of them. */
  links: base.input(forAgent).output(z.object({ count: z.number().int(), paths: z.array(z.string()) })),
  /** Marks a note local, or takes that mark away; what it changed can be taken back by `undo`. */
  setVisibility: base
    .input(forAgent.extend({ path: filePathSchema, isLocal: z.boolean() }))
    .output(z.object({ patch: z.string() })),
  /** The same for a folder, in the settings. */
  setFolderVisibility: base
    .input(forAgent.extend({ path: z.string().min(1).max(399), isLocal: z.boolean() }))
    .output(z.object({})),
  read: base.input(forAgent.extend({ path: filePathSchema, forProgram: forProgramSchema })).output(
    z.object({
      path: z.string(),
      text: z.string(),
      hash: z.string(),
      /** Of an extra folder, or of another agent that shares it. */
      readOnly: z.boolean(),
      /** Its permissions let nobody write it. */
      isProtected: z.boolean(),
    }),
  ),
  /** Lines of a file, or of a conversation as it is searched (`sessions/….jsonl`); `from` is 1-based. */
  lines: base
    .input(
      forAgent.extend({
        path: filePathSchema,
        from: z.number().int().min(1).default(1),
        count: z.number().int().min(1).max(5000),
        forProgram: forProgramSchema,
      }),
    )
    .output(z.object({ path: z.string(), lines: z.array(z.string()), total: z.number().int() })),
  /** A piece of a picture, sound, film or PDF that a note shows; ask on from where it ends. `data` is base64. */
  attachment: base.input(forAgent.extend({ path: filePathSchema, from: z.number().int().min(0).default(0) })).output(
    z.object({
      type: z.string(),
      /** Of all of it, bytes. */
      size: z.number().int(),
      /** Milliseconds since the epoch. */
      modifiedAt: z.number(),
      data: z.string(),
    }),
  ),
  /** A file that is to be shown in a note (`path`), put where the vault keeps such files; `data` is base64. */
  attach: base
    .input(
      forAgent.extend({ path: filePathSchema, name: z.string().min(1).max(maxName), data: z.base64().max(maxPicture) }),
    )
    .output(
      z.object({
        path: z.string(),
        /** As the vault writes its links. */
        link: z.string(),
      }),
    ),
  /**
   * Saves atomically if the file is still what `expectedHash` names (`null`: must not exist yet).
   * A change made underneath is merged when the two do not touch; else the request fails with `file_changed`.
   */
  write: base
    .input(
      forAgent.extend({
        path: filePathSchema,
        text: fileTextSchema,
        expectedHash: idSchema.nullable(),
        /** The text that `expectedHash` stands for: the common ancestor of a three-way merge. */
        baseText: fileTextSchema.optional(),
        /** Where two changes touch: fail, or keep the lines of both, ours first. */
        onConflict: z.enum(['fail', 'both']).default('fail'),
      }),
    )
    .output(z.object({ hash: z.string(), text: z.string(), merged: z.boolean() })),
  /** What was typed into a file and not saved, window by window, the newest first. */
  drafts: base.input(forAgent.extend({ path: filePathSchema })).output(z.array(keptDraft(fileDraftSchema))),
  /** Keeps what a window has of it; null when there is nothing that is not saved. */
  saveDraft: base
    .input(forAgent.extend({ path: filePathSchema, writer: windowIdSchema, draft: fileDraftSchema.nullable() }))
    .output(z.object({})),
  /** Fails with `file_exists` rather than replace anything. */
  move: base.input(forAgent.extend({ from: filePathSchema, to: filePathSchema })).output(z.object({})),
  /** A copy beside the file, under a free name. */
  duplicate: base.input(forAgent.extend({ path: filePathSchema })).output(z.object({ path: z.string() })),
  /** Puts the file into the workspace's trash; `trashed` brings it back. */
  remove: base.input(forAgent.extend({ path: filePathSchema })).output(z.object({ trashed: z.string() })),
  restore: base.input(forAgent.extend({ trashed: filePathSchema })).output(z.object({ path: z.string() })),
  /** Shows the file in the system's file manager, or opens it in the program that the system has for it. */
  reveal: base.input(forAgent.extend({ path: filePathSchema, open: z.boolean() })).output(z.object({})),
  /**
   * Takes a change back by applying its patch in reverse, to the file by the name that it has now. A file that it had made
   * is put into the trash, and `trashed` brings it back.
   */
  undo: base
    .input(forAgent.extend({ path: filePathSchema, patch: z.string().max(maxPatch) }))
    .output(z.object({ path: z.string(), trashed: z.string().optional() })),
  /** Does such a change again. Fails with `undo_conflict` where other lines stand in its place. */
  redo: base.input(forAgent.extend({ path: filePathSchema, patch: z.string().max(maxPatch) })).output(z.object({})),
  /** Appends a note to today's log, or to a section of MEMORY.md. Lines are 1-based and inclusive. */
  remember: base
    .input(
      forAgent.extend({
        text: z.string().trim().min(1).max(maxNote),
        /** A heading of MEMORY.md; made when it is not there. */
        section: z.string().trim().min(1).max(maxTitle).optional(),
      }),
    )
    .output(z.object({ path: z.string(), startLine: z.number().int(), endLine: z.number().int(), patch: z.string() })),
}

export const pictures = {
  /** `data` is base64; `type` is that of the bytes, not what was said of them. */
  remote: base
    .input(z.object({ address: z.string().min(1).max(4000) }))
    .output(z.object({ type: z.string(), data: z.string() })),
}
