import { z } from 'zod'
import { maxPath } from '../util/limits.ts'
import { isOwnFolder } from '../util/own-files.ts'
import { agentIdSchema, base, forAgent } from './base.ts'

export const agentSchema = z.object({
  id: agentIdSchema,
  /** As it is shown. */
  name: z.string(),
  workspace: z.string(),
  color: z.string(),
  model: z.string(),
  /** Out of sight; its files and conversations stay. */
  archived: z.boolean(),
  /** Agents whose memory this one may search and read. */
  reads: z.array(z.string()),
  /** False until the workspace folder exists: first start, or the folder was moved away. */
  ready: z.boolean(),
})
export type Agent = z.infer<typeof agentSchema>

export const localeSchema = z.enum(['en', 'zh-CN', 'zh-TW'])
export type Locale = z.infer<typeof localeSchema>

const nameSchema = z.string().trim().min(1).max(60)
const workspaceSchema = z.string().trim().min(1).max(maxPath)
const colorSchema = z.string().regex(/^#[0-9a-f]{6}$/i)

/** Of an agent's own files, in its workspace; empty for the top. */
const ownFolderSchema = z
  .string()
  .max(maxPath)
  .refine(isOwnFolder)
  .transform((folder) => folder.split(/[\\/]/).filter(Boolean).join('/'))

export const agents = {
  list: base.output(z.array(agentSchema)),
  /**
   * Chooses the agent's folder, creates it and seeds what is missing from the templates; existing files stay. A folder of
   * another program gets nothing, unless `seed` says so.
   */
  setUp: base
    .input(
      forAgent.extend({
        workspace: workspaceSchema,
        locale: localeSchema,
        seed: z.boolean().optional(),
        /** Where the agent's own files lie in it; as the folder has it when left out. */
        own: ownFolderSchema.optional(),
      }),
    )
    .output(z.object({ workspace: z.string(), created: z.array(z.string()) })),
  /**
   * Has its own files (AGENTS.md, MEMORY.md …) lie in another folder of its workspace, and moves those that are there. What
   * has a file of its name there already is left.
   */
  moveOwn: base
    .input(forAgent.extend({ own: ownFolderSchema }))
    .output(z.object({ moved: z.array(z.string()), left: z.array(z.string()) })),
  /** A new agent with a folder of its own, seeded; `like` gives it the settings of another one. */
  create: base
    .input(
      z.object({
        name: nameSchema,
        workspace: workspaceSchema.optional(),
        color: colorSchema.optional(),
        like: agentIdSchema.optional(),
        locale: localeSchema,
      }),
    )
    .output(z.object({ agent: agentIdSchema, workspace: z.string() })),
  update: base
    .input(
      forAgent.extend({ name: nameSchema.optional(), color: colorSchema.optional(), archived: z.boolean().optional() }),
    )
    .output(z.object({})),
  /** Has the agents search and read this one's memory, and no others. */
  share: base.input(forAgent.extend({ with: z.array(agentIdSchema).max(100) })).output(z.object({})),
}
