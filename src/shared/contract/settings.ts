import { z } from 'zod'
import { usageSchema } from '../chat/message-schemas.ts'
import { maxId, maxName, maxPath } from '../util/limits.ts'
import { outboundRequestSchema } from './outbound.ts'
import { agentIdSchema, base, configChangeSchema, configTextSchema, done } from './base.ts'

export const appearanceSchema = z.object({
  theme: z.enum(['system', 'light', 'dark']),
  locale: z.enum(['system', 'en', 'zh-CN', 'zh-TW']),
  /** Autosave of the editor: when leaving the file, also after a pause in typing, or never. */
  autosave: z.enum(['leave', 'delay', 'off']),
  /** Remote images in notes: load on request, or always. */
  remotePictures: z.enum(['ask', 'always']),
})
export type Appearance = z.infer<typeof appearanceSchema>

const configRules = [
  'duration',
  'model',
  'weights',
  'color',
  'toolServer',
  'toolServerLocal',
  'toolServerName',
  'folder',
  'ownFolder',
  'dailyFormat',
  'keys',
  'accelerator',
  'schedule',
  'ids',
  'overlap',
] as const
export type ConfigRule = (typeof configRules)[number]
/** Kinds of invalid values, including the rules of the configuration schema. */
const configFaults = ['type', 'tooSmall', 'tooBig', 'choice', 'address', 'unknown', 'twice', ...configRules] as const
export type ConfigFault = (typeof configFaults)[number]

export const configProblemSchema = z.object({
  key: z.string(),
  /** 1-based line in the file; null if the whole file is unreadable. */
  line: z.number().int().nullable(),
  message: z.string(),
  /** Undefined if only `message` describes the problem. */
  fault: z.enum(configFaults).optional(),
  /** The limit, the expected type, or the allowed values. */
  allowed: z.string().optional(),
})
export type ConfigProblem = z.infer<typeof configProblemSchema>

export const providerStatusSchema = z.object({
  name: z.string(),
  /** Source of the API key; `none` also for a local server that needs no key. */
  keySource: z.enum(['environment', 'keychain', 'session', 'none']),
  /** Environment variable that would contain the key. */
  variable: z.string(),
  /**
   * Storage for a newly entered key: the system keychain, weakly encrypted without one, or only in memory until the app
   * ends.
   */
  keeps: z.enum(['keychain', 'weak', 'session']),
  /** Configured base URL; null for the provider's default address. */
  baseUrl: z.string().nullable(),
  /** True if requests stay on this machine. */
  isLocal: z.boolean(),
})
export type ProviderStatus = z.infer<typeof providerStatusSchema>

export const localModelServerSchema = z.object({
  name: z.string(),
  baseUrl: z.string(),
  /** Ids of its chat models; the first is suggested. */
  models: z.array(z.string()),
})
export type LocalModelServer = z.infer<typeof localModelServerSchema>

/** Usage of one model in one month, including flushes, summaries and titles. */
export const monthlyUsageSchema = z.object({
  /** `YYYY-MM`, local time. */
  month: z.string(),
  model: z.string(),
  requests: z.number().int(),
  usage: usageSchema,
})
export type MonthlyUsage = z.infer<typeof monthlyUsageSchema>

export const spendingSchema = z.object({
  /** US dollars spent this month on models with known prices. */
  spent: z.number(),
  /** US dollars a month; null for no limit. */
  limit: z.number().nullable(),
  /** True from 80 % of the limit. */
  warns: z.boolean(),
})
export type Spending = z.infer<typeof spendingSchema>

export const mcpServerSchema = z.object({
  name: z.string(),
  state: z.enum(['stopped', 'starting', 'ready', 'failed', 'disabled']),
  transport: z.enum(['stdio', 'http']),
  /** True if private chats use the server; null if they can't, because its URL is of another machine. */
  local: z.boolean().nullable(),
  problem: z.string().nullable(),
  tools: z.array(
    z.object({ name: z.string(), description: z.string(), permission: z.enum(['ask', 'always', 'never']) }),
  ),
  /** Last lines of the server's log output. */
  log: z.array(z.string()),
})
export type McpServer = z.infer<typeof mcpServerSchema>

export const dataLocationSchema = z.object({
  kind: z.enum(['settings', 'workspace', 'index', 'sessions', 'history', 'upkeep', 'models', 'logs', 'usage']),
  path: z.string(),
  /** Name of the owning agent; undefined for shared data. */
  agent: z.string().optional(),
  bytes: z.number(),
  files: z.number().int(),
  /** False if counting stopped because there are too many files. */
  isComplete: z.boolean(),
})
export type DataLocation = z.infer<typeof dataLocationSchema>

export const logLineSchema = z.object({
  level: z.enum(['info', 'warning', 'error']),
  /** ISO 8601. */
  time: z.string(),
  message: z.string(),
  /** JSON, or empty. */
  details: z.string(),
})
export type LogLine = z.infer<typeof logLineSchema>

/** Path of a setting in the file: `['agents', 'defaults', 'memory', 'search', 'minScore']`. */
const settingPathSchema = z
  .array(z.union([z.string().max(maxName), z.number().int().min(0)]))
  .min(1)
  .max(12)

export const settings = {
  get: base.output(
    z.object({
      file: z.string(),
      version: z.string(),
      /** True until an agent's workspace is set up. */
      firstRun: z.boolean(),
      suggestedWorkspace: z.string(),
      /** The section `interface` of the configuration. */
      appearance: appearanceSchema,
      problems: z.array(configProblemSchema),
      /** True while the file has problems and its last valid text is in use. */
      usesLastGood: z.boolean(),
      /** Custom keyboard shortcuts, by the default shortcut that they replace. */
      shortcuts: z.record(z.string(), z.string()),
    }),
  ),
  /** The configuration file: `written` are its values, `inForce` the effective values with all defaults. */
  source: base.output(
    z.object({
      file: z.string(),
      text: z.string(),
      /** The text in use while the file has problems. */
      lastGood: z.string().optional(),
      written: z.unknown(),
      inForce: z.unknown(),
      schema: z.unknown(),
    }),
  ),
  /** Validates a text; saves nothing. */
  check: base.input(z.object({ text: configTextSchema })).output(z.array(configProblemSchema)),
  /** Saves the text; merges changes saved by others since `baseText`. */
  save: base
    .input(z.object({ text: configTextSchema, baseText: configTextSchema }))
    .output(z.object({ text: z.string(), isMerged: z.boolean() })),
  /** Restores the text before a change; if the file has changed since, sets the values back. */
  undo: base.input(configChangeSchema).output(done),
  /** Sets one value, or with `reset` removes it so that the default applies. Keeps comments and order of the file. */
  set: base
    .input(z.object({ path: settingPathSchema, value: z.unknown().optional(), reset: z.boolean().default(false) }))
    .output(done),
  locations: base.output(z.array(dataLocationSchema)),
  log: base.output(z.array(logLineSchema)),
  /** The newest requests to other machines, newest first; `total` counts all that are recorded. */
  outbound: base.output(z.object({ requests: z.array(outboundRequestSchema), total: z.number().int() })),
  /** Creates a diagnostic report in JSON, without private text. */
  diagnostics: base.output(z.object({ text: z.string() })),
  setAppearance: base.input(appearanceSchema.partial()).output(appearanceSchema),
  setModel: base.input(z.object({ agent: agentIdSchema, model: z.string().max(maxId) })).output(done),
  providers: base.output(z.array(providerStatusSchema)),
  /** Sets a provider's API key and stores it if possible; an empty key deletes it. No request returns the key. */
  setKey: base
    .input(
      z.object({
        provider: z.string().max(maxName),
        key: z
          .string()
          .trim()
          .regex(/^[\x21-\x7e]*$/, 'a key may contain only letters, digits and symbols')
          .max(maxPath),
      }),
    )
    .output(done),
  /** Null restores the provider's default address. `http://`, and `/v1` of a compatible server, may be left out. */
  setBaseUrl: base
    .input(z.object({ provider: z.string().max(maxName), baseUrl: z.string().trim().min(1).max(maxPath).nullable() }))
    .output(done),
  /** Tests the connection to a provider. Returns the ids of its chat models; the first is suggested. */
  testProvider: base
    .input(z.object({ provider: z.string().max(maxName) }))
    .output(z.object({ models: z.array(z.string()) })),
  /** Probes this machine for model servers; sends nothing to other machines. */
  localServers: base.output(z.array(localModelServerSchema)),
  usage: base.output(z.object({ months: z.array(monthlyUsageSchema), spending: spendingSchema })),
  mcpServers: base.output(z.array(mcpServerSchema)),
  /** Starts or restarts a server and lists its tools. */
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
