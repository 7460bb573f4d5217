import { z } from 'zod'
import { maxPath } from '../util/limits.ts'
import { mayHoldAgentFiles } from '../util/agent-files.ts'
import { agentIdSchema, base, done, forAgent, idSchema, rpc } from './base.ts'

export const agentSchema = z.object({
  id: agentIdSchema,
  name: z.string(),
  workspace: z.string(),
  color: z.string(),
  model: z.string(),
  isPrivateByDefault: z.boolean(),
  archived: z.boolean(),
  reads: z.array(z.string()),
  ready: z.boolean(),
})
export type Agent = z.infer<typeof agentSchema>

export const localeSchema = z.enum(['en', 'zh-CN', 'zh-TW'])
export type Locale = z.infer<typeof localeSchema>

const nameSchema = z.string().trim().min(1).max(60)
const workspaceSchema = z.string().trim().min(1).max(maxPath)
const colorSchema = z.string().regex(/^#[0-9a-f]{6}$/i)

/** Folder of the agent's own files, relative to the workspace; empty for the top. */
const ownFolderSchema = z
  .string()
  .max(maxPath)
  .refine(mayHoldAgentFiles)
  .transform((folder) => folder.split(/[\\/]/).filter(Boolean).join('/'))

const newAgentSchema = z.object({
  name: nameSchema,
  workspace: workspaceSchema.optional(),
  color: colorSchema.optional(),
  locale: localeSchema,
})
export type NewAgent = z.infer<typeof newAgentSchema>

export const agents = {
  list: base.output(z.array(agentSchema)),
  /** Creates the folder and adds missing template files; to a folder of another program only with `seed`. */
  setUp: rpc(
    forAgent.extend({
      workspace: workspaceSchema,
      locale: localeSchema,
      seed: z.boolean().optional(),
      /** Detected from the folder if left out. */
      own: ownFolderSchema.optional(),
      /** Set together with the folder: a window that opens then may send a message at once. */
      model: idSchema.optional(),
    }),
    { workspace: z.string(), created: z.array(z.string()) },
  ),
  /** `left`: files whose name exists in the new folder; they are not moved. */
  moveOwn: rpc(forAgent.extend({ own: ownFolderSchema }), { moved: z.array(z.string()), left: z.array(z.string()) }),
  create: rpc(newAgentSchema, { agent: agentIdSchema, workspace: z.string() }),
  update: rpc(
    forAgent.extend({ name: nameSchema.optional(), color: colorSchema.optional(), archived: z.boolean().optional() }),
    done,
  ),
  share: rpc(forAgent.extend({ with: z.array(agentIdSchema).max(100) }), done),
}

/** Folders are relative, without a trailing slash; empty for the top. */
export const vaultConventionsSchema = z.object({
  kind: z.enum(['obsidian', 'logseq', 'foam', 'vscode', 'openclaw', 'plain']),
  /** Folder and file name format of daily notes; see `src/shared/markdown/daily-notes.ts` for `format`. */
  daily: z.object({ folder: z.string(), format: z.string() }),
  /** False if no daily-note convention was found; `daily` is then `memory`, next to the agent's own files. */
  hasDaily: z.boolean(),
  /** Folder of the agent's own files; empty for the workspace folder. */
  own: z.string(),
  /** Files in `own` that can be the long-term memory, the one in use first. */
  longTermFiles: z.array(z.string()),
  /** Next to the note (`beside`), in a subfolder of the note's folder (`below`), or in a fixed folder (`path`). */
  attachments: z.union([z.literal('beside'), z.object({ below: z.string() }), z.object({ path: z.string() })]),
  /** Next to the note that links to the new one (`beside`), or in a fixed folder (`path`). */
  newNotes: z.union([z.literal('beside'), z.object({ path: z.string() })]),
  /** True if the vault has no folders (Logseq): page `a/b` is the file `a___b`. */
  hasFlatPages: z.boolean(),
  links: z.enum(['wiki', 'markdown']),
  /** `shortest`: the shortest unique path; `relative`: from the note; `absolute`: from the top. */
  linkPaths: z.enum(['shortest', 'relative', 'absolute']),
  /** True if a line break in a paragraph renders as one, not as a space. */
  lineBreaks: z.boolean(),
  /** Path prefixes of folders and files that are not indexed. */
  ignored: z.array(z.string()),
})
export type VaultConventions = z.infer<typeof vaultConventionsSchema>

export const conventions = {
  look: rpc(z.object({ path: z.string().trim().min(1).max(maxPath) }), {
    exists: z.boolean(),
    /** The agent's own files that already exist. */
    own: z.array(z.string()),
    isEmpty: z.boolean(),
    notes: z.int(),
    habits: vaultConventionsSchema,
  }),
  /** With the overrides from the settings. */
  of: rpc(forAgent, vaultConventionsSchema),
}
