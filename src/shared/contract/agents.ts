import { z } from 'zod'
import { agentIdSchema, base, forAgent } from './base.ts'

export const agentSchema = z.object({
  id: agentIdSchema,
  workspace: z.string(),
  color: z.string(),
  model: z.string(),
  /** False until the workspace folder exists: first start, or the folder was moved away. */
  ready: z.boolean(),
})
export type Agent = z.infer<typeof agentSchema>

export const localeSchema = z.enum(['en', 'zh-CN', 'zh-TW'])
export type Locale = z.infer<typeof localeSchema>

export const agents = {
  list: base.output(z.array(agentSchema)),
  /** Chooses the agent's folder, creates it and seeds what is missing from the templates; existing files stay. */
  setUp: base
    .input(forAgent.extend({ workspace: z.string().min(1).max(4096), locale: localeSchema }))
    .output(z.object({ workspace: z.string(), created: z.array(z.string()) })),
}
