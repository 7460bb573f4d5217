import { z } from 'zod'
import { maxPath } from '../util/limits.ts'
import { base, forAgent } from './base.ts'

const vaultKindSchema = z.enum(['obsidian', 'logseq', 'foam', 'vscode', 'openclaw', 'plain'])

/** Conventions of a vault. Folders are relative, without a trailing slash; empty for the top. */
export const vaultConventionsSchema = z.object({
  kind: vaultKindSchema,
  /** Folder and file name format of daily notes; see `src/shared/markdown/daily-notes.ts` for `format`. */
  daily: z.object({ folder: z.string(), format: z.string() }),
  /** False if no daily-note convention was found; `daily` is then `memory`, next to the agent's own files. */
  hasDaily: z.boolean(),
  /** Folder of the agent's own files (AGENTS.md, MEMORY.md …). */
  own: z.string(),
  /** Files in that folder that can be the long-term memory, the one in use first; empty if there is none. */
  longTermFiles: z.array(z.string()),
  /** Next to the note (`beside`), in a subfolder of the note's folder (`below`), or in a fixed folder (`path`). */
  attachments: z.union([z.literal('beside'), z.object({ below: z.string() }), z.object({ path: z.string() })]),
  /** Folder of a note created from a link. */
  newNotes: z.union([z.literal('beside'), z.object({ path: z.string() })]),
  /** True if the vault has no folders (Logseq): page `a/b` is the file `a___b`. */
  isFlat: z.boolean(),
  links: z.enum(['wiki', 'markdown']),
  /** `shortest`: the shortest unique path; `relative`: from the note; `absolute`: from the top. */
  linkPaths: z.enum(['shortest', 'relative', 'absolute']),
  /** True if a line break in a paragraph renders as a line break; false if it renders as a space. */
  lineBreaks: z.boolean(),
  /** Path prefixes of folders and files that are not indexed. */
  ignored: z.array(z.string()),
  /** Configuration files that the conventions come from; empty if there are none. */
  readFrom: z.array(z.string()),
})
export type VaultConventions = z.infer<typeof vaultConventionsSchema>

export const habits = {
  /** Detects the conventions of a folder. Writes nothing. */
  look: base.input(z.object({ path: z.string().trim().min(1).max(maxPath) })).output(
    z.object({
      /** False if the folder would have to be created. */
      exists: z.boolean(),
      /** Paths of the agent's own files that already exist. */
      own: z.array(z.string()),
      isEmpty: z.boolean(),
      notes: z.number().int(),
      habits: vaultConventionsSchema,
    }),
  ),
  /** `found`: conventions detected in the agent's folder; `kept`: the same with the overrides from the settings. */
  of: base.input(forAgent).output(z.object({ found: vaultConventionsSchema, kept: vaultConventionsSchema })),
}
