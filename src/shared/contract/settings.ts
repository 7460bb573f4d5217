import { z } from 'zod'
import { usageSchema } from '../chat/message-schemas.ts'
import { maxId, maxName, maxPath, maxSettings } from '../util/limits.ts'
import { agentIdSchema, base } from './base.ts'

export const appearanceSchema = z.object({
  theme: z.enum(['system', 'light', 'dark']),
  locale: z.enum(['system', 'en', 'zh-CN', 'zh-TW']),
  /** When the editor saves: on leaving the file, after a pause in typing too, or only when it is told to. */
  autosave: z.enum(['leave', 'delay', 'off']),
  /** Pictures of the web in notes: each on request, or all of them. */
  remotePictures: z.enum(['ask', 'always']),
})
export type Appearance = z.infer<typeof appearanceSchema>

const configRules = [
  'duration',
  'model',
  'weights',
  'overlap',
  'color',
  'toolServer',
  'toolServerName',
  'folder',
  'ownFolder',
  'dailyFormat',
  'keys',
  'accelerator',
  'schedule',
  'ids',
] as const
export type ConfigRule = (typeof configRules)[number]
/** What can be wrong with a value: a kind of its own, or a rule that it breaks. */
const configFaults = ['type', 'tooSmall', 'tooBig', 'choice', 'address', 'unknown', 'twice', ...configRules] as const
export type ConfigFault = (typeof configFaults)[number]

export const configProblemSchema = z.object({
  key: z.string(),
  /** 1-based line in the file, or null when the file as a whole is unreadable. */
  line: z.number().int().nullable(),
  /** In English, for the terminal. */
  message: z.string(),
  /** What is wrong; absent where only the message tells. */
  fault: z.enum(configFaults).optional(),
  /** The bound, the type, or what there is to choose from. */
  allowed: z.string().optional(),
})
export type ConfigProblem = z.infer<typeof configProblemSchema>

export const providerStatusSchema = z.object({
  name: z.string(),
  /** Where its key comes from; `none` also for a local server that wants no key. */
  keySource: z.enum(['environment', 'keychain', 'session', 'none']),
  /** The environment variable that would hold the key. */
  variable: z.string(),
  /** How a key that is given now is kept: by the system, weakly (no keychain there), or until the app ends. */
  keeps: z.enum(['keychain', 'weak', 'session']),
  /** The configured base URL; null for the provider's own. */
  baseUrl: z.string().nullable(),
  /** What it is sent stays on this machine. */
  isLocal: z.boolean(),
})
export type ProviderStatus = z.infer<typeof providerStatusSchema>

/** What one model used in one month, flushes, summaries and titles included. */
export const monthlyUsageSchema = z.object({
  /** `YYYY-MM`, local time. */
  month: z.string(),
  model: z.string(),
  requests: z.number().int(),
  usage: usageSchema,
})
export type MonthlyUsage = z.infer<typeof monthlyUsageSchema>

export const spendingSchema = z.object({
  /** US dollars this month, as far as models have prices. */
  spent: z.number(),
  limit: z.number().nullable(),
  warns: z.boolean(),
})
export type Spending = z.infer<typeof spendingSchema>

export const mcpServerSchema = z.object({
  name: z.string(),
  state: z.enum(['stopped', 'starting', 'ready', 'failed', 'disabled']),
  transport: z.enum(['stdio', 'http']),
  problem: z.string().nullable(),
  tools: z.array(
    z.object({ name: z.string(), description: z.string(), permission: z.enum(['ask', 'always', 'never']) }),
  ),
  /** The newest lines of what the server logged. */
  log: z.array(z.string()),
})
export type McpServer = z.infer<typeof mcpServerSchema>

export const dataLocationSchema = z.object({
  kind: z.enum(['settings', 'workspace', 'index', 'sessions', 'history', 'upkeep', 'models', 'logs', 'usage']),
  path: z.string(),
  /** The name of the agent whose it is; undefined for what all share. */
  agent: z.string().optional(),
  bytes: z.number(),
  files: z.number().int(),
  /** False when there was too much to count all of it. */
  isComplete: z.boolean(),
})
export type DataLocation = z.infer<typeof dataLocationSchema>

export const logLineSchema = z.object({
  level: z.enum(['info', 'warning', 'error']),
  /** ISO 8601. */
  time: z.string(),
  message: z.string(),
  /** JSON, or nothing. */
  details: z.string(),
})
export type LogLine = z.infer<typeof logLineSchema>

/** Where a setting stands in the file: `['agents', 'defaults', 'memory', 'search', 'minScore']`. */
const settingPathSchema = z
  .array(z.union([z.string().max(maxName), z.number().int().min(0)]))
  .min(1)
  .max(12)

const done = z.object({})

export const settings = {
  get: base.output(
    z.object({
      file: z.string(),
      /** True until an agent's workspace has been set up. */
      firstRun: z.boolean(),
      suggestedWorkspace: z.string(),
      appearance: appearanceSchema,
      problems: z.array(configProblemSchema),
      /** Other keys for the app's commands, by the keys that they have. */
      shortcuts: z.record(z.string(), z.string()),
    }),
  ),
  /** The file, what it says, what that comes to with all defaults, and what may stand in it (JSON Schema). */
  source: base.output(
    z.object({
      file: z.string(),
      text: z.string(),
      written: z.unknown(),
      inForce: z.unknown(),
      schema: z.unknown(),
    }),
  ),
  /** What would be wrong with a text; nothing is saved. */
  check: base.input(z.object({ text: z.string().max(maxSettings) })).output(z.array(configProblemSchema)),
  /** Saves the text; with what others have saved since `baseText` merged in. */
  save: base
    .input(z.object({ text: z.string().max(maxSettings), baseText: z.string().max(maxSettings) }))
    .output(z.object({ text: z.string(), isMerged: z.boolean() })),
  /** Sets one value, or takes it out, so that the default holds again. Comments and order of the file stay. */
  set: base
    .input(z.object({ path: settingPathSchema, value: z.unknown().optional(), reset: z.boolean().default(false) }))
    .output(done),
  locations: base.output(z.array(dataLocationSchema)),
  log: base.output(z.array(logLineSchema)),
  /** A report without private texts, as JSON. */
  diagnostics: base.output(z.object({ text: z.string() })),
  setAppearance: base.input(appearanceSchema.partial()).output(appearanceSchema),
  setModel: base
    .input(z.object({ agent: agentIdSchema, model: z.string().max(maxId) }))
    .output(z.object({ model: z.string() })),
  providers: base.output(z.array(providerStatusSchema)),
  /** Uses a key, and keeps it where that is possible; an empty one forgets it. It is never told to anybody again. */
  setKey: base
    .input(
      z.object({
        provider: z.string().max(maxName),
        key: z
          .string()
          .trim()
          .regex(/^[\x21-\x7e]*$/, 'a key has letters, digits and signs only')
          .max(maxPath),
      }),
    )
    .output(done),
  /** Null: the provider's own address. */
  setBaseUrl: base
    .input(z.object({ provider: z.string().max(maxName), baseUrl: z.url().max(maxPath).nullable() }))
    .output(done),
  /** Asks the provider for its models. */
  testProvider: base
    .input(z.object({ provider: z.string().max(maxName) }))
    .output(z.object({ models: z.number().int() })),
  usage: base.output(z.object({ months: z.array(monthlyUsageSchema), spending: spendingSchema })),
  /** US dollars a month; null for no limit. */
  setSpendingLimit: base.input(z.object({ limit: z.number().positive().nullable() })).output(done),
  mcpServers: base.output(z.array(mcpServerSchema)),
  /** Starts a server (again), so that its tools are known. */
  startMcpServer: base.input(z.object({ name: z.string().max(maxName) })).output(done),
  setMcpPermission: base
    .input(
      z.object({
        server: z.string().max(maxName),
        tool: z.string().max(maxName),
        permission: z.enum(['ask', 'always', 'never']),
      }),
    )
    .output(done),
}
