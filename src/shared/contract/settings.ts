import { z } from 'zod'
import { usageSchema } from '../chat/message-schemas.ts'
import { maxId, maxName, maxPath } from '../util/limits.ts'
import { outboundRequestSchema } from './outbound.ts'
import { agentIdSchema, base, configChangeSchema, configTextSchema, done, rpc } from './base.ts'

const appearanceSchema = z.object({
  theme: z.enum(['system', 'light', 'dark']),
  locale: z.enum(['system', 'en', 'zh-CN', 'zh-TW']),
  autosave: z.enum(['leave', 'delay', 'off']),
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
/** Faults of the whole file. */
const fileFaults = ['syntax', 'missing', 'tooLarge', 'aliases', 'tooDeep'] as const
const valueFaults = ['type', 'tooSmall', 'tooBig', 'choice', 'address', 'unknown', 'twice'] as const
const configFaults = [...fileFaults, ...valueFaults, ...configRules] as const
export type ConfigFault = (typeof configFaults)[number]

export const configProblemSchema = z.object({
  key: z.string(),
  /** 1-based line in the file; null if the whole file is unreadable. */
  line: z.int().nullable(),
  message: z.string(),
  fault: z.enum(configFaults).optional(),
  /** The limit, the expected type, or the allowed values. */
  allowed: z.string().optional(),
})
export type ConfigProblem = z.infer<typeof configProblemSchema>

export const providerStatusSchema = z.object({
  name: z.string(),
  /** Source of the API key; `none` also for a local server that needs no key. */
  keySource: z.enum(['environment', 'keychain', 'session', 'none']),
  variable: z.string(),
  /** Storage of a new key. `weak`: encrypted without a keychain; `session`: in memory. */
  keeps: z.enum(['keychain', 'session']),
  baseUrl: z.string().nullable(),
  isLocal: z.boolean(),
})
export type ProviderStatus = z.infer<typeof providerStatusSchema>

export const localModelServerSchema = z.object({
  name: z.string(),
  baseUrl: z.string(),
  models: z.array(z.string()),
})
export type LocalModelServer = z.infer<typeof localModelServerSchema>

/** Including flushes, summaries and titles. */
export const monthlyUsageSchema = z.object({
  /** `YYYY-MM`, local time. */
  month: z.string(),
  model: z.string(),
  requests: z.int(),
  usage: usageSchema,
})
export type MonthlyUsage = z.infer<typeof monthlyUsageSchema>

export const spendingSchema = z.object({
  spent: z.number(),
  /** US dollars a month; null for no limit. */
  limit: z.number().nullable(),
  /** True from 80 % of the limit. */
  isNearLimit: z.boolean(),
})
export type Spending = z.infer<typeof spendingSchema>

export const mcpServerSchema = z.object({
  name: z.string(),
  state: z.enum(['stopped', 'starting', 'ready', 'failed', 'disabled']),
  /** True if private chats use the server; null if they can't, because its URL is of another machine. */
  local: z.boolean().nullable(),
  problem: z.string().nullable(),
  tools: z.array(
    z.object({ name: z.string(), description: z.string(), permission: z.enum(['ask', 'always', 'never']) }),
  ),
  log: z.array(z.string()),
})
export type McpServer = z.infer<typeof mcpServerSchema>

export const dataLocationSchema = z.object({
  kind: z.enum(['settings', 'workspace', 'index', 'sessions', 'history', 'upkeep', 'models', 'logs', 'usage']),
  path: z.string(),
  agent: z.string().optional(),
  bytes: z.number(),
  files: z.int(),
  /** False if counting stopped because there are too many files. */
  isComplete: z.boolean(),
})
export type DataLocation = z.infer<typeof dataLocationSchema>

export const logLineSchema = z.object({
  level: z.enum(['info', 'warning', 'error']),
  time: z.string(),
  message: z.string(),
  details: z.string(),
})
export type LogLine = z.infer<typeof logLineSchema>

/** Path of a setting in the file: `['agents', 'defaults', 'memory', 'search', 'minScore']`. */
const settingPathSchema = z
  .array(z.union([z.string().max(maxName), z.int().min(0)]))
  .min(1)
  .max(12)

export const settings = {
  get: base.output(
    z.object({
      file: z.string(),
      version: z.string(),
      firstRun: z.boolean(),
      suggestedWorkspace: z.string(),
      appearance: appearanceSchema,
      problems: z.array(configProblemSchema),
      /** True while the file has problems and its last valid text is in use. */
      usesLastGood: z.boolean(),
      shortcuts: z.record(z.string(), z.string()),
    }),
  ),
  /** `inForce`: with all defaults. */
  source: base.output(
    z.object({
      file: z.string(),
      text: z.string(),
      lastGood: z.string().optional(),
      written: z.unknown(),
      inForce: z.unknown(),
      schema: z.unknown(),
    }),
  ),
  check: rpc(z.object({ text: configTextSchema }), z.array(configProblemSchema)),
  /** Merges changes saved by others since `baseText`. */
  save: rpc(z.object({ text: configTextSchema, baseText: configTextSchema }), {
    text: z.string(),
    isMerged: z.boolean(),
  }),
  /** Restores the text before a change; if the file has changed since, sets the values back. */
  undo: rpc(configChangeSchema, done),
  /** Sets one value, or with `reset` removes it so that the default applies. Keeps comments and order of the file. */
  set: rpc(
    z.object({ path: settingPathSchema, value: z.unknown().optional(), reset: z.boolean().default(false) }),
    done,
  ),
  locations: base.output(z.array(dataLocationSchema)),
  log: base.output(z.array(logLineSchema)),
  /** The newest requests to other machines, newest first; `total` counts all that are recorded. */
  outbound: base.output(z.object({ requests: z.array(outboundRequestSchema), total: z.int() })),
  diagnostics: base.output(z.object({ text: z.string() })),
  setModel: rpc(z.object({ agent: agentIdSchema, model: z.string().max(maxId) }), done),
  providers: base.output(z.array(providerStatusSchema)),
  /** Sets a provider's API key and stores it if possible; an empty key deletes it. No request returns the key. */
  setKey: rpc(
    z.object({
      provider: z.string().max(maxName),
      key: z
        .string()
        .trim()
        .regex(/^[\x21-\x7e]*$/, 'a key may contain only letters, digits and symbols')
        .max(maxPath),
    }),
    done,
  ),
  /** Null restores the provider's default address. `http://`, and `/v1` of a compatible server, may be left out. */
  setBaseUrl: rpc(
    z.object({ provider: z.string().max(maxName), baseUrl: z.string().trim().min(1).max(maxPath).nullable() }),
    done,
  ),
  /** Ids of its chat models; the first is suggested. */
  testProvider: rpc(z.object({ provider: z.string().max(maxName) }), { models: z.array(z.string()) }),
  /** Probes this machine for model servers; sends nothing to other machines. */
  localServers: base.output(z.array(localModelServerSchema)),
  usage: base.output(z.object({ months: z.array(monthlyUsageSchema), spending: spendingSchema })),
  mcpServers: base.output(z.array(mcpServerSchema)),
  startMcpServer: rpc(z.object({ name: z.string().max(maxName) }), done),
  setMcpPermission: rpc(
    z.object({
      server: z.string().max(maxName),
      tool: z.string().max(maxName),
      permission: z.enum(['ask', 'always', 'never']),
    }),
    done,
  ),
}
