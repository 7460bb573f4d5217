import { z } from 'zod'
import { base } from './base.ts'

export const appearanceSchema = z.object({
  theme: z.enum(['system', 'light', 'dark']),
  locale: z.enum(['system', 'en', 'zh-CN', 'zh-TW']),
})
export type Appearance = z.infer<typeof appearanceSchema>

export const configProblemSchema = z.object({
  key: z.string(),
  /** 1-based line in the file, or null when the file as a whole is unreadable. */
  line: z.number().int().nullable(),
  message: z.string(),
})
export type ConfigProblem = z.infer<typeof configProblemSchema>

export const settings = {
  get: base.output(
    z.object({
      file: z.string(),
      /** True until an agent's workspace has been set up. */
      firstRun: z.boolean(),
      suggestedWorkspace: z.string(),
      appearance: appearanceSchema,
      problems: z.array(configProblemSchema),
    }),
  ),
  setAppearance: base.input(appearanceSchema.partial()).output(appearanceSchema),
  setModel: base
    .input(z.object({ agent: z.string(), model: z.string().max(200) }))
    .output(z.object({ model: z.string() })),
}
