import { z } from 'zod'
import { eventIterator } from '@orpc/contract'
import { maxClientLimit, maxId, maxName, maxProgramNote, maxTitle } from '../util/limits.ts'
import {
  agentIdSchema,
  base,
  changeIdSchema,
  done,
  filePathSchema,
  forAgent,
  idSchema,
  timestampSchema,
  rpc,
} from './base.ts'
import { evidenceSchema } from './suggestions.ts'

/** `write`: reads and writes; `ask`: writes after the user's approval; `read`: reads only. */
export const clientPermissionSchema = z.enum(['write', 'ask', 'read'])

/** Lower-case client name that the program reports, such as `claude-code`. */
export const clientIdSchema = z.string().regex(/^[a-z0-9][a-z0-9._-]{0,63}$/)

const limitSchema = z.int().min(1).max(maxClientLimit)

/** For all connections of a program together. Calls beyond `callsAtOnce` wait. */
export const clientLimitsSchema = z.object({
  notesPerDay: limitSchema,
  /** UTF-16 code units. */
  charactersPerDay: limitSchema,
  callsPerMinute: limitSchema,
  callsAtOnce: limitSchema,
})
export type ClientLimits = z.infer<typeof clientLimitsSchema>

export const memoryClientSchema = z.object({
  id: clientIdSchema,
  name: z.string(),
  agent: agentIdSchema,
  permission: clientPermissionSchema,
  hasToken: z.boolean(),
  usedAt: timestampSchema.nullable(),
  writes: z.int(),
  /** If true, the client reads private notes and may save secrets. */
  hasFullAccess: z.boolean(),
  limits: clientLimitsSchema,
  /** Calls and attempts to write on the day `date` (YYYY-MM-DD, local time). */
  today: z.object({ date: z.string(), calls: z.number(), notes: z.number(), characters: z.number() }),
})
export type MemoryClient = z.infer<typeof memoryClientSchema>

export const writeRequestSchema = z.object({
  id: z.string(),
  client: clientIdSchema,
  name: z.string(),
  agent: agentIdSchema,
  text: z.string(),
})
export type WriteRequest = z.infer<typeof writeRequestSchema>

export const connectableProgramSchema = z.object({
  id: z.string(),
  name: z.string(),
  file: z.string(),
  /** True if the folder of the configuration file exists. */
  isThere: z.boolean(),
  /** `other`: an entry of this name has other content. `broken`: it starts a missing program. */
  state: z.enum(['none', 'connected', 'other', 'broken']),
  /** Unified diff of what `connect` changes; empty if nothing. */
  patch: z.string(),
  link: z.string().optional(),
  /** Null if the configuration can be changed. */
  problem: z.string().nullable(),
})
export type ConnectableProgram = z.infer<typeof connectableProgramSchema>

const forProgram = z.object({ program: z.string().max(maxName) })

const forClient = z.object({ client: clientIdSchema })

export const clients = {
  list: base.output(z.array(memoryClientSchema)),
  meet: rpc(forClient.extend({ name: z.string().max(maxName), agent: agentIdSchema.optional() }), memoryClientSchema),
  /** Replaces the previous token. Only here the token is returned. */
  issueToken: rpc(forClient.extend({ name: z.string().trim().min(1).max(maxTitle), agent: agentIdSchema }), {
    token: z.string(),
  }),
  /** Null if the token is unknown or revoked. */
  admit: rpc(z.object({ token: z.string().max(maxId) }), memoryClientSchema.nullable()),
  update: rpc(
    forClient.extend({
      permission: clientPermissionSchema.optional(),
      agent: agentIdSchema.optional(),
      hasFullAccess: z.boolean().optional(),
      limits: clientLimitsSchema.optional(),
    }),
    done,
  ),
  /** Sends one event when the limits of the client allow a call, which lasts until the stream is closed. */
  enter: rpc(forClient, eventIterator(done)),
  remove: rpc(forClient, done),
  /**
   * Appends a note for a client, after the user's approval if required. Does not repeat an entry of today's
   * log that the client may read. With `mayBeThere`, a retry after a lost answer, it also looks for longer notes.
   * @returns the 1-based lines of the note
   */
  remember: rpc(
    forAgent.extend({
      client: clientIdSchema,
      text: z.string().trim().min(1).max(maxProgramNote),
      /** Files a proposal to strike this line, which the note replaces. */
      replaces: z.object({ path: filePathSchema, line: z.int().min(1) }).optional(),
      mayBeThere: z.boolean().default(false),
    }),
    {
      path: z.string(),
      startLine: z.int(),
      endLine: z.int(),
      wasThere: z.boolean(),
      /** Id of the proposal; null if the user refused the same one before. */
      proposal: idSchema.nullable().optional(),
      /** A line that the note repeats or may replace. */
      alike: evidenceSchema.optional(),
    },
  ),
  /** Removes marks of programs that repeat the one of their log entry, as one change. */
  cleanMarks: rpc(forAgent, { change: changeIdSchema.nullable(), notes: z.int() }),
  programs: rpc(forAgent, z.array(connectableProgramSchema)),
  connect: rpc(forProgram.extend({ agent: agentIdSchema }), done),
  disconnect: rpc(forProgram, done),
  test: rpc(forProgram.extend({ agent: agentIdSchema }), { tools: z.int() }),
  /** `creates`: null if shells find the command. Null as a whole for another home than the default one. */
  command: base.output(z.object({ creates: z.string().nullable(), needsPath: z.boolean() }).nullable()),
  installCommand: base.output(done),
  questions: base.output(z.array(writeRequestSchema)),
  /** `always` also permits future writes. */
  answer: rpc(z.object({ id: idSchema, decision: z.enum(['once', 'always', 'no']) }), done),
}
