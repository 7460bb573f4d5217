import { homedir } from 'node:os'
import { join } from 'node:path'
import { z } from 'zod'
import { agentIdSchema } from '#shared/contract/base.ts'
import { isDailyFormat } from '#shared/markdown/daily-notes.ts'
import { mayHoldAgentFiles } from '#shared/util/agent-files.ts'
import { embeddingProviders, modelProviders } from '#shared/util/providers.ts'
import { dataLocalities, isLocalAddress } from '#shared/util/locality.ts'
import {
  memoryScopeSchema,
  searchModes,
  searchSettingsSchema,
  weightsSchema as searchWeightsSchema,
} from '#shared/contract/search.ts'
import { parseSchedule } from '#shared/util/schedule.ts'
import type { ConfigRule } from '#shared/contract/index.ts'

export const rules: Readonly<Record<ConfigRule, string>> = {
  duration: 'a duration such as 90s, 5m or 2h, of at most 24d',
  model: `offline or ${modelProviders.map((name) => `${name}/<model>`).join(', ')}`,
  weights: 'at least one weight above 0',
  color: 'a colour such as #3f5bd9',
  toolServer: 'either command or url',
  toolServerLocal: 'false for a url of another machine',
  toolServerName: 'a name of letters, digits, - and _',
  keys: 'keys such as Mod+Shift+K',
  accelerator: 'keys such as CommandOrControl+Shift+Space, or empty to disable the shortcut',
  folder: 'a folder inside the workspace, such as notes/daily',
  ownFolder: 'empty for the top folder, .commonplace, or a folder that is not hidden',
  dailyFormat: 'a format with year, month and day, such as YYYY-MM-DD',
  schedule:
    'off, daily 04:00, monday 09:00, weekdays 18:30, monthly, or a cron expression of five fields such as 0 4 * * 1',
  ids: 'a list of agents with unique ids',
  overlap: 'fewer tokens than a chunk has',
}

const maxDurationMs = 2 ** 31 - 1

/** `5m`, `90s`, `2h`, or a bare number of seconds (`600`, `"600"`); parsed to milliseconds. `setTimeout` limits it to 24 days. */
const durationSchema = z
  .union([z.number().int().min(0), z.string().regex(/^\d+(ms|s|m|h|d)?$/, rules.duration)])
  .transform((value) => {
    const unitMs = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }
    const [, amount = '0', unit = 's'] = /^(\d+)(ms|s|m|h|d)?$/.exec(String(value)) ?? []
    return Number(amount) * unitMs[unit as keyof typeof unitMs]
  })
  .refine((ms) => ms <= maxDurationMs, rules.duration)

const countSchema = z.number().int().min(0).max(10_000_000)

const modelIdSchema = z.string().regex(new RegExp(`^(offline|(${modelProviders.join('|')})/.+)$`), rules.model)

const embeddingSchema = z.strictObject({
  provider: z.enum(embeddingProviders).default('builtin'),
  model: z.string().min(1).optional(),
  /** Base URL of an OpenAI-compatible endpoint, such as `http://localhost:11434/v1`. */
  baseUrl: z.url().optional(),
  reach: z.enum(dataLocalities).default('auto'),
  allowDownload: z.boolean().default(false),
})

function section<Shape extends z.ZodRawShape>(shape: Shape) {
  const schema = z.strictObject(shape)
  return schema.prefault({} as z.input<typeof schema>)
}

const searchShape = searchSettingsSchema.shape
const { vector, text } = searchWeightsSchema.shape
const weightsSchema = z
  .strictObject({ vector: vector.max(1).default(0.7), text: text.max(1).default(0.3) })
  .refine((weights) => weights.vector + weights.text > 0, rules.weights)

/** `entry`: entries of notes are indexed. `tokens`: chunks of lines, as in OpenClaw; a token is four characters. */
const chunkingSchema = z
  .strictObject({
    unit: z.enum(['entry', 'tokens']).default('entry'),
    tokens: z.number().int().min(16).max(8000).default(400),
    overlap: z.number().int().min(0).max(4000).default(80),
  })
  .refine(({ tokens, overlap }) => overlap < tokens, { message: rules.overlap, path: ['overlap'] })

const memorySchema = z.strictObject({
  /** `workspace` indexes all notes, `memory` only MEMORY.md and memory/. */
  scope: memoryScopeSchema.default('workspace'),
  embedding: embeddingSchema.prefault({}),
  search: section({
    weights: z.union([z.literal('auto'), weightsSchema]).default('auto'),
    /** With numbers as weights only. */
    minScore: searchShape.minScore.default(searchModes.default.minScore),
    maxResults: searchShape.maxResults.default(searchModes.default.maxResults),
    maxCharacters: searchShape.maxCharacters.default(searchModes.default.maxCharacters),
    recencyHalfLifeDays: searchShape.recencyHalfLifeDays.default(null),
  }),
  chunking: chunkingSchema.prefault({}),
  sync: section({
    /** Milliseconds without a further write after which a changed file is indexed. */
    debounceMs: z.number().int().min(0).max(600_000).default(1500),
  }),
  extraPaths: z.array(z.string()).default([]),
  sessions: z.boolean().default(true),
  shareWith: z.array(agentIdSchema).default([]),
})

const isFolderInside = (path: string) => !/(^|[\\/])\.\.?([\\/]|$)|^[\\/]|:/.test(path)
const folderSchema = z.string().max(400).refine(isFolderInside, rules.folder)
const attachmentFolderSchema = z
  .string()
  .max(400)
  .refine((path) => isFolderInside(path.replace(/^\.[\\/]/, '')), rules.folder)

/** Overrides conventions that the app reads from the settings of the vault's program (Obsidian, Logseq, …). */
const vaultSchema = z.strictObject({
  /** Folder of AGENTS.md, MEMORY.md etc.: `.commonplace`, another folder that is not hidden, or empty for the top folder. */
  own: folderSchema.refine(mayHoldAgentFiles, rules.ownFolder).optional(),
  daily: section({
    folder: folderSchema.optional(),
    format: z.string().max(200).refine(isDailyFormat, rules.dailyFormat).optional(),
  }),
  /** Folder for pasted and dropped files: `beside` the note, a path in the workspace, or `./files` below the note's folder. */
  attachments: attachmentFolderSchema.optional(),
  ignored: z.array(z.string().max(400)).default([]),
})

const pathRulesSchema = z.array(z.string().min(1).max(400)).default([])

const sharedAgentFields = {
  model: modelIdSchema.default('offline'),
  compaction: section({
    enabled: z.boolean().default(true),
    reserveTokensFloor: countSchema.default(20_000),
    keepRecentTokens: countSchema.default(20_000),
    memoryFlush: section({
      enabled: z.boolean().default(true),
      softThresholdTokens: countSchema.default(4000),
      /** Used instead of resources/prompts/flush-system.md. */
      systemPrompt: z.string().optional(),
      /** Used instead of resources/prompts/flush.md. */
      prompt: z.string().optional(),
    }),
  }),
  contextPruning: section({
    mode: z.enum(['off', 'always', 'cache-ttl']).default('cache-ttl'),
    ttl: durationSchema.default(300_000),
    keepLastAssistants: z.number().int().min(0).max(1000).default(3),
    softTrim: section({
      maxChars: countSchema.default(4000),
      headChars: countSchema.default(1500),
      tailChars: countSchema.default(1500),
    }),
    hardClear: section({
      enabled: z.boolean().default(true),
      placeholder: z.string().min(1).default('[Old tool result content cleared]'),
    }),
  }),
  session: section({
    reset: section({
      mode: z.enum(['daily', 'idle', 'daily+idle', 'off']).default('daily'),
      atHour: z.number().int().min(0).max(23).default(4),
      idleMinutes: z.number().int().min(1).default(240),
    }),
    memoryHook: section({
      enabled: z.boolean().default(true),
    }),
  }),
  chat: section({
    /** Kind of a new chat. Only models on this machine read a private chat, and no other program. */
    default: z.enum(['open', 'private']).default('open'),
    idleTimeout: durationSchema.default(120_000),
    thinking: z.enum(['off', 'low', 'medium', 'high']).default('off'),
    titles: z.boolean().default(true),
    context: section({
      longTerm: z.boolean().default(true),
      logs: z.boolean().default(true),
      summaries: z.boolean().default(true),
      recall: z.boolean().default(true),
    }),
  }),
  history: section({
    enabled: z.boolean().default(true),
  }),
  prompts: section({
    /** Used instead of resources/prompts/system.md. The placeholders are described in docs/guide/prompts.md. */
    system: z.string().optional(),
  }),
  memory: memorySchema.prefault({}),
  visibility: section({
    private: pathRulesSchema,
    local: pathRulesSchema.meta({ deprecated: true, description: 'Older name of `private`.' }),
  }).transform(({ private: rules, local }) => ({ private: [...new Set([...rules, ...local])] })),
  upkeep: section({
    schedule: z
      .string()
      .max(100)
      .refine((text) => parseSchedule(text) !== null, rules.schedule)
      .default('off'),
    model: modelIdSchema.optional(),
    /** Cost limit of reviews per month, in US dollars; null: no limit. */
    monthlyBudget: z.number().positive().nullable().default(1),
  }),
  vault: vaultSchema.prefault({}),
}

export const agentSettingsSchema = z.strictObject(sharedAgentFields)
export type AgentSettings = z.infer<typeof agentSettingsSchema>

const agentEntrySchema = z.strictObject({
  ...sharedAgentFields,
  id: agentIdSchema,
  name: z.string().trim().min(1).max(60).optional(),
  archived: z.boolean().default(false),
  workspace: z.string().min(1).optional(),
  color: z
    .string()
    .regex(/^#[0-9a-f]{6}$/i, rules.color)
    .optional(),
})

const providerSchema = z.strictObject({
  baseUrl: z.url().optional(),
  /** Sent with every request. `${NAME}` is replaced by the environment variable. */
  headers: z.record(z.string(), z.string()).optional(),
  proxy: z.url().optional(),
  /** `local` if data sent to the provider stays on this machine; `auto` decides by the address. Only local models answer in private chats. */
  reach: z.enum(dataLocalities).default('auto'),
})

/** An MCP server: a program to start (`command`) or an address (`url`). */
const mcpServerSchema = z
  .strictObject({
    command: z.string().min(1).optional(),
    args: z.array(z.string()).default([]),
    env: z.record(z.string(), z.string()).default({}),
    url: z.url().optional(),
    headers: z.record(z.string(), z.string()).default({}),
    enabled: z.boolean().default(true),
    /** The server runs on this machine and sends nothing elsewhere. Private chats use only such servers. */
    local: z.boolean().default(false),
    permission: z.enum(['ask', 'always', 'never']).default('ask'),
    tools: z.record(z.string(), z.enum(['ask', 'always', 'never'])).default({}),
  })
  .refine(({ command, url }) => (command === undefined) !== (url === undefined), rules.toolServer)
  .refine(({ local, url }) => !local || url === undefined || isLocalAddress(url), {
    message: rules.toolServerLocal,
    path: ['local'],
  })

const modelOverrideSchema = z.strictObject({
  contextWindow: z.number().int().min(1024).optional(),
  maxOutput: z.number().int().min(16).optional(),
  images: z.boolean().optional(),
  /** US dollars per million tokens. */
  prices: z
    .strictObject({
      input: z.number().min(0),
      output: z.number().min(0),
    })
    .optional(),
})

export const configSchema = z.strictObject({
  interface: section({
    theme: z.enum(['system', 'light', 'dark']).default('system'),
    locale: z.enum(['system', 'en', 'zh-CN', 'zh-TW']).default('system'),
    autosave: z.enum(['leave', 'delay', 'off']).default('leave'),
    remotePictures: z.enum(['ask', 'always']).default('ask'),
  }),
  providers: section({
    anthropic: providerSchema.prefault({}),
    openai: providerSchema.prefault({}),
    'openai-compatible': providerSchema.prefault({}),
  }),
  models: z.record(z.string(), modelOverrideSchema).default({}),
  desktop: section({
    launchAtLogin: z.boolean().default(false),
    /** Action when the window is closed, on systems with a tray; `ask` until the user has chosen. */
    closeTo: z.enum(['ask', 'tray', 'quit']).default('ask'),
    notifications: z.boolean().default(true),
    /** Loopback port of the MCP server over HTTP. Each client has its own token. Null: no HTTP server. */
    mcpPort: z.number().int().min(1024).max(65_535).nullable().default(null),
  }),
  updates: section({
    feed: z.url().optional(),
    channel: z.enum(['stable', 'beta']).default('stable'),
  }),
  /** Replaced shortcuts of commands, by their default shortcut: `Mod+K: Mod+J`. */
  shortcuts: z.record(z.string(), z.string().regex(/^((Mod|Ctrl|Alt|Shift)\+)+\S+$/, rules.keys)).default({}),
  capture: section({
    /** Global shortcut of the capture window, an Electron accelerator; empty: disabled. */
    shortcut: z
      .string()
      .regex(
        /^$|^((CommandOrControl|CmdOrCtrl|Command|Cmd|Control|Ctrl|Alt|Option|AltGr|Shift|Super|Meta)\+)*[^\s+]+$/i,
        rules.accelerator,
      )
      .default('CommandOrControl+Shift+Space'),
  }),
  spending: section({
    /** US dollars per month for all agents together. Requests beyond it are refused. Null: no limit. */
    monthlyLimit: z.number().positive().nullable().default(null),
  }),
  mcp: section({
    servers: z.record(z.string().regex(/^[A-Za-z0-9_-]{1,24}$/, rules.toolServerName), mcpServerSchema).default({}),
  }),
  agents: section({
    defaults: agentSettingsSchema.prefault({}),
    list: z
      .array(agentEntrySchema)
      .refine((list) => new Set(list.map((agent) => agent.id)).size === list.length, rules.ids)
      .default([]),
  }),
})
export type Config = z.infer<typeof configSchema>

export const defaultAgentId = 'main'

export function expandHome(path: string, home: string = homedir()): string {
  if (path === '~') return home
  return path.startsWith('~/') || path.startsWith('~\\') ? join(home, path.slice(2)) : path
}

/** Returns the JSON schema of config.yaml before defaults are applied. */
export function configJsonSchema(): object {
  return z.toJSONSchema(configSchema, { io: 'input', unrepresentable: 'any' })
}
