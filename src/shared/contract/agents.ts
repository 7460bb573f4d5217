import { z } from 'zod'
import { maxPath } from '../util/limits.ts'
import { mayHoldAgentFiles } from '../util/agent-files.ts'
import { agentIdSchema, base, done, forAgent, idSchema } from './base.ts'

export const agentSchema = z.object({
  id: agentIdSchema,
  name: z.string(),
  workspace: z.string(),
  color: z.string(),
  model: z.string(),
  /** True if new chats are private (`chat.default`). */
  isPrivateByDefault: z.boolean(),
  /** True if hidden from lists; files and sessions stay. */
  archived: z.boolean(),
  /** Ids of agents whose memory this agent may search and read. */
  reads: z.array(z.string()),
  /** False if the workspace folder does not exist: before the first setup, or after the folder was moved. */
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

export const agents = {
  list: base.output(z.array(agentSchema)),
  /**
   * Sets the agent's folder, creates it and adds missing template files; existing files stay. If the folder already
   * belongs to another program, adds files only with `seed`.
   */
  setUp: base
    .input(
      forAgent.extend({
        workspace: workspaceSchema,
        locale: localeSchema,
        seed: z.boolean().optional(),
        /** Folder of the agent's own files; detected from the folder if left out. */
        own: ownFolderSchema.optional(),
        /** Set together with the folder: a window that opens then may send a message at once. */
        model: idSchema.optional(),
      }),
    )
    .output(z.object({ workspace: z.string(), created: z.array(z.string()) })),
  /**
   * Moves the agent's own files (AGENTS.md, MEMORY.md …) to another folder of its workspace. Files whose name exists
   * there are skipped and returned in `left`.
   */
  moveOwn: base
    .input(forAgent.extend({ own: ownFolderSchema }))
    .output(z.object({ moved: z.array(z.string()), left: z.array(z.string()) })),
  /** Creates an agent with a new folder and template files. */
  create: base
    .input(
      z.object({
        name: nameSchema,
        workspace: workspaceSchema.optional(),
        color: colorSchema.optional(),
        locale: localeSchema,
      }),
    )
    .output(z.object({ agent: agentIdSchema, workspace: z.string() })),
  update: base
    .input(
      forAgent.extend({ name: nameSchema.optional(), color: colorSchema.optional(), archived: z.boolean().optional() }),
    )
    .output(done),
  /** Sets the agents that may search and read this agent's memory; replaces the previous list. */
  share: base.input(forAgent.extend({ with: z.array(agentIdSchema).max(100) })).output(done),
}
