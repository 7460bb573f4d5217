import { homedir } from 'node:os'
import { join } from 'node:path'
import { z } from 'zod'
import { agentIdSchema } from '#shared/contract/base.ts'
import { isDailyFormat } from '#shared/markdown/daily-notes.ts'
import { mayHoldAgentFiles } from '#shared/util/agent-files.ts'
import { embeddingProviders, modelProviders } from '#shared/util/providers.ts'
import { dataLocalities } from '#shared/util/locality.ts'
import {
  memoryScopeSchema,
  searchSettingsSchema,
  weightsSchema as searchWeightsSchema,
} from '#shared/contract/search.ts'
import { parseSchedule } from '#shared/util/schedule.ts'
import { rules } from './config-rules.ts'

const longestMs = 2 ** 31 - 1

/** `5m`, `90s`, `2h`, or a bare number of seconds (`600`, `"600"`); parsed to milliseconds. Timers take no more than 24 days. */
const durationSchema = z
  .union([z.number().int().min(0), z.string().regex(/^\d+(ms|s|m|h|d)?$/, rules.duration)])
  .transform((value) => {
    const unit = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }
    const [, amount = '0', name = 's'] = /^(\d+)(ms|s|m|h|d)?$/.exec(String(value)) ?? []
    return Number(amount) * unit[name as keyof typeof unit]
  })
  .refine((ms) => ms <= longestMs, rules.duration)

const modelIdSchema = z.string().regex(new RegExp(`^(offline|(${modelProviders.join('|')})/.+)$`), rules.model)

const embeddingSchema = z.strictObject({
  provider: z.enum(embeddingProviders).default('builtin'),
  /** What the provider is known for, where none is named. */
  model: z.string().min(1).optional(),
  /** Base URL of an OpenAI-compatible endpoint, such as `http://localhost:11434/v1`. */
  baseUrl: z.url().optional(),
  /** As that of a provider of models. */
  reach: z.enum(dataLocalities).default('auto'),
  /** For `local`: the model may be fetched from the hub. */
  allowDownload: z.boolean().default(false),
})

const searchShape = searchSettingsSchema.shape
const { vector, text } = searchWeightsSchema.shape
const weightsSchema = z
  .strictObject({ vector: vector.max(1).default(0.7), text: text.max(1).default(0.3) })
  .refine((weights) => weights.vector + weights.text > 0, rules.weights)

const memorySchema = z.strictObject({
  /** What of the workspace is searched: all of its notes, or MEMORY.md and memory/ alone. */
  scope: memoryScopeSchema.default('workspace'),
  embedding: embeddingSchema.prefault({}),
  chunk: z
    .strictObject({
      tokens: z.number().int().min(32).max(8192).default(400),
      overlap: z.number().int().min(0).max(4096).default(80),
    })
    .refine((chunk) => chunk.overlap * 2 <= chunk.tokens, rules.overlap)
    .prefault({}),
  search: z
    .strictObject({
      weights: z.union([z.literal('auto'), weightsSchema]).default('auto'),
      minScore: searchShape.minScore.default(0.35),
      maxResults: searchShape.maxResults.default(6),
      recencyHalfLifeDays: searchShape.recencyHalfLifeDays.default(null),
      mmrLambda: searchShape.mmrLambda.default(null),
    })
    .prefault({}),
  extraPaths: z.array(z.string()).default([]),
  /** Conversations are searched too: what was said, not what tools returned. */
  sessions: z.boolean().default(true),
  /** Agents that may search and read this memory, never write it. */
  shareWith: z.array(agentIdSchema).default([]),
})
export type MemorySettings = z.infer<typeof memorySchema>

const isFolderInside = (path: string) => !/(^|[\\/])\.\.?([\\/]|$)|^[\\/]|:/.test(path)
const folderSchema = z.string().max(400).refine(isFolderInside, rules.folder)
const nearFolderSchema = z
  .string()
  .max(400)
  .refine((path) => isFolderInside(path.replace(/^\.[\\/]/, '')), rules.folder)

/** What is kept otherwise than the vault's own program says; what is left out is as it has it. */
const vaultSchema = z.strictObject({
  /** Where AGENTS.md, MEMORY.md and the like lie: `.commonplace`, another folder that is not hidden, or empty for the top. */
  own: folderSchema.refine(mayHoldAgentFiles, rules.ownFolder).optional(),
  daily: z
    .strictObject({
      folder: folderSchema.optional(),
      /** In the tokens of Moment.js, as Obsidian has it. */
      format: z.string().max(200).refine(isDailyFormat, rules.dailyFormat).optional(),
    })
    .prefault({}),
  /** Where pasted and dropped files go: `beside` the note, a folder, or `./files` for one below the note's. */
  attachments: nearFolderSchema.optional(),
  /** Folders and files that are not searched, besides those that the vault's own program leaves out. */
  ignored: z.array(z.string().max(400)).default([]),
})

const sharedAgentFields = {
  model: modelIdSchema.default('offline'),
  compaction: z
    .strictObject({
      memoryFlush: z
        .strictObject({
          enabled: z.boolean().default(true),
          /** Used instead of resources/prompts/flush.md. */
          prompt: z.string().optional(),
        })
        .prefault({}),
    })
    .prefault({}),
  session: z
    .strictObject({
      reset: z
        .strictObject({
          mode: z.enum(['daily', 'idle', 'daily+idle', 'off']).default('daily'),
          atHour: z.number().int().min(0).max(23).default(4),
          idleMinutes: z.number().int().min(1).default(240),
        })
        .prefault({}),
      memoryHook: z.strictObject({ enabled: z.boolean().default(true) }).prefault({}),
    })
    .prefault({}),
  chat: z
    .strictObject({
      /** A provider that says nothing for so long is given up. */
      idleTimeout: durationSchema.default(120_000),
      /** How much a model that can may think before it answers. */
      thinking: z.enum(['off', 'low', 'medium', 'high']).default('off'),
      /** Conversations are named by the model after its first answer; else by their first words. */
      titles: z.boolean().default(true),
    })
    .prefault({}),
  history: z
    .strictObject({
      /** Every change of the workspace's Markdown is recorded. */
      enabled: z.boolean().default(true),
    })
    .prefault({}),
  prompts: z
    .strictObject({
      /** Used instead of resources/prompts/system.md; docs/prompts.md says what is filled in. */
      system: z.string().optional(),
    })
    .prefault({}),
  memory: memorySchema.prefault({}),
  visibility: z
    .strictObject({
      /** Folders and files that only models on this machine get to see, as beginnings of paths. */
      local: z.array(z.string().min(1).max(400)).default([]),
    })
    .prefault({}),
  upkeep: z
    .strictObject({
      /** When memory is looked through and reviewed without being asked to; in words or as cron has it. */
      schedule: z
        .string()
        .max(100)
        .refine((text) => parseSchedule(text) !== null, rules.schedule)
        .default('off'),
      /** Used instead of the agent's own. */
      model: modelIdSchema.optional(),
      /** What reviews may cost in a month, in US dollars; null for no limit. */
      monthlyBudget: z.number().positive().nullable().default(1),
    })
    .prefault({}),
  vault: vaultSchema.prefault({}),
}

export const agentSettingsSchema = z.strictObject(sharedAgentFields)
export type AgentSettings = z.infer<typeof agentSettingsSchema>

const agentEntrySchema = z.strictObject({
  ...sharedAgentFields,
  id: agentIdSchema,
  /** As it is shown; the id when left out. */
  name: z.string().trim().min(1).max(60).optional(),
  /** Out of sight; its files and conversations stay. */
  archived: z.boolean().default(false),
  workspace: z.string().min(1).optional(),
  color: z
    .string()
    .regex(/^#[0-9a-f]{6}$/i, rules.color)
    .optional(),
})
export type AgentEntry = z.infer<typeof agentEntrySchema>

const providerSchema = z.strictObject({
  baseUrl: z.url().optional(),
  /** Sent with every request; `${NAME}` stands for a variable of the environment. */
  headers: z.record(z.string(), z.string()).optional(),
  /** Used instead of HTTPS_PROXY and its like. */
  proxy: z.url().optional(),
  /** Whether what it is sent stays on this machine: `auto` goes by the address. Local notes reach local models alone. */
  reach: z.enum(dataLocalities).default('auto'),
})

/** A server of tools (Model Context Protocol): a program that is started, or an address. */
const mcpServerSchema = z
  .strictObject({
    command: z.string().min(1).optional(),
    args: z.array(z.string()).default([]),
    env: z.record(z.string(), z.string()).default({}),
    url: z.url().optional(),
    headers: z.record(z.string(), z.string()).default({}),
    enabled: z.boolean().default(true),
    /** What happens when a model calls a tool that `tools` does not name. */
    permission: z.enum(['ask', 'always', 'never']).default('ask'),
    tools: z.record(z.string(), z.enum(['ask', 'always', 'never'])).default({}),
  })
  .refine(({ command, url }) => (command === undefined) !== (url === undefined), rules.toolServer)
export type McpServerSettings = z.infer<typeof mcpServerSchema>

const modelOverrideSchema = z.strictObject({
  contextWindow: z.number().int().min(1024).optional(),
  maxOutput: z.number().int().min(16).optional(),
  /** Pictures can be part of a message. */
  images: z.boolean().optional(),
  /** US dollars for a million tokens. */
  prices: z
    .strictObject({
      input: z.number().min(0),
      output: z.number().min(0),
    })
    .optional(),
})

export const configSchema = z.strictObject({
  interface: z
    .strictObject({
      theme: z.enum(['system', 'light', 'dark']).default('system'),
      locale: z.enum(['system', 'en', 'zh-CN', 'zh-TW']).default('system'),
      autosave: z.enum(['leave', 'delay', 'off']).default('leave'),
      remotePictures: z.enum(['ask', 'always']).default('ask'),
    })
    .prefault({}),
  providers: z
    .strictObject({
      anthropic: providerSchema.prefault({}),
      openai: providerSchema.prefault({}),
      'openai-compatible': providerSchema.prefault({}),
    })
    .prefault({}),
  /** Figures by model id that replace those of the built-in table. */
  models: z.record(z.string(), modelOverrideSchema).default({}),
  desktop: z
    .strictObject({
      launchAtLogin: z.boolean().default(false),
      /** What closing the window does where there is a tray: `ask` until the user has said. */
      closeTo: z.enum(['ask', 'tray', 'quit']).default('ask'),
      /** Of answers that took long and came while the window was out of sight. */
      notifications: z.boolean().default(true),
      /** The port on this machine at which other programs reach the memory over HTTP, with a token each; null for none. */
      mcpPort: z.number().int().min(1024).max(65_535).nullable().default(null),
    })
    .prefault({}),
  updates: z
    .strictObject({
      /** Address of the update feed; without it the app never checks for updates. */
      feed: z.url().optional(),
    })
    .prefault({}),
  /** Other keys for what the palette lists, by the keys that it has: `Mod+K: Mod+J`. */
  shortcuts: z.record(z.string(), z.string().regex(/^((Mod|Ctrl|Alt|Shift)\+)+\S+$/, rules.keys)).default({}),
  capture: z
    .strictObject({
      /** Opens the capture window from anywhere; empty for none. As Electron writes it. */
      shortcut: z
        .string()
        .regex(
          /^$|^((CommandOrControl|CmdOrCtrl|Command|Cmd|Control|Ctrl|Alt|Option|AltGr|Shift|Super|Meta)\+)*[^\s+]+$/i,
          rules.accelerator,
        )
        .default('CommandOrControl+Shift+Space'),
    })
    .prefault({}),
  spending: z
    .strictObject({
      /** US dollars a month for all agents together; further requests are refused. Null for no limit. */
      monthlyLimit: z.number().positive().nullable().default(null),
    })
    .prefault({}),
  mcp: z
    .strictObject({
      servers: z.record(z.string().regex(/^[A-Za-z0-9_-]{1,24}$/, rules.toolServerName), mcpServerSchema).default({}),
    })
    .prefault({}),
  agents: z
    .strictObject({
      defaults: agentSettingsSchema.prefault({}),
      list: z
        .array(agentEntrySchema)
        .refine((list) => new Set(list.map((agent) => agent.id)).size === list.length, rules.ids)
        .default([]),
    })
    .prefault({}),
})
export type Config = z.infer<typeof configSchema>

/** `~/commonplace` for the agent `main`, `~/commonplace-<id>` for any other. */
export function defaultWorkspace(agentId: string, home: string = homedir()): string {
  return join(home, agentId === 'main' ? 'commonplace' : `commonplace-${agentId}`)
}

/** `~` and `~/…` stand for the home folder. */
export function expandHome(path: string, home: string = homedir()): string {
  if (path === '~') return home
  return path.startsWith('~/') || path.startsWith('~\\') ? join(home, path.slice(2)) : path
}

/** The configuration as it may be written, for editors that complete and explain. */
export function configJsonSchema(): object {
  jsonSchema ??= z.toJSONSchema(configSchema, { io: 'input', unrepresentable: 'any' })
  return jsonSchema
}

/** Always the same, and dear to make: kept once it was asked for. */
let jsonSchema: object | undefined
