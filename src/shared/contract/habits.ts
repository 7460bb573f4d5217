import { z } from 'zod'
import { maxPath } from '../util/limits.ts'
import { base, forAgent } from './base.ts'

const vaultKindSchema = z.enum(['obsidian', 'logseq', 'foam', 'vscode', 'openclaw', 'plain'])

/** Folders are relative, without a slash at their end; empty for the top. */
export const habitsSchema = z.object({
  kind: vaultKindSchema,
  /** Where the note of a day lies; `format` as `src/shared/markdown/daily-notes.ts` says. */
  daily: z.object({ folder: z.string(), format: z.string() }),
  /** False where nothing says where: then it is `memory`, beside the agent's own files. */
  hasDaily: z.boolean(),
  /** The folder of the agent's own files (AGENTS.md, MEMORY.md …). */
  own: z.string(),
  /** `beside` the note, in a folder below the note's, or in a folder. */
  attachments: z.union([z.literal('beside'), z.object({ below: z.string() }), z.object({ path: z.string() })]),
  /** Where a note goes that a link names. */
  newNotes: z.union([z.literal('beside'), z.object({ path: z.string() })]),
  /** Logseq keeps no folders: `a/b` is the page `a___b`. */
  isFlat: z.boolean(),
  links: z.enum(['wiki', 'markdown']),
  /** How much of a path a link has: as little as names the file, the way from the note, or the way from the top. */
  linkPaths: z.enum(['shortest', 'relative', 'absolute']),
  /** Where a line of a paragraph ends it is read as ended, as its own program shows it; else lines flow together. */
  lineBreaks: z.boolean(),
  /** Folders and files, as beginnings of paths, that are not searched. */
  ignored: z.array(z.string()),
  /** What it was read from; empty where nothing says so. */
  readFrom: z.array(z.string()),
})
export type Habits = z.infer<typeof habitsSchema>

export const habits = {
  /** What opening a folder would mean; nothing is written. */
  look: base.input(z.object({ path: z.string().trim().min(1).max(maxPath) })).output(
    z.object({
      /** False for one that would have to be made. */
      exists: z.boolean(),
      /** Of an agent's own files, those that are there, as paths. */
      own: z.array(z.string()),
      /** Nothing at all lies in it. */
      isEmpty: z.boolean(),
      notes: z.number().int(),
      habits: habitsSchema,
    }),
  ),
  /** As they were found in the agent's folder, and as they are kept, with what the settings say otherwise. */
  of: base.input(forAgent).output(z.object({ found: habitsSchema, kept: habitsSchema })),
}
