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
  /** If false, long-term notes become proposals in the inbox. */
  mayKeep: z.boolean(),
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
  section: z.string().optional(),
})
export type WriteRequest = z.infer<typeof writeRequestSchema>

export const connectableProgramSchema = z.object({
  id: z.string(),
  name: z.string(),
  file: z.string(),
  /** True if the folder of the configuration file exists. */
  isThere: z.boolean(),
  /** `other`: an entry of this name has other content. */
  state: z.enum(['none', 'connected', 'other']),
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
      mayKeep: z.boolean().optional(),
      limits: clientLimitsSchema.optional(),
    }),
    done,
  ),
  /** Sends one event when the limits of the client allow a call, which lasts until the stream is closed. */
  enter: rpc(forClient, eventIterator(done)),
  remove: rpc(forClient, done),
  /**
   * Appends a note for a client, after the user's approval if required. With `mayBeThere`, a retry after a lost answer,
   * it first looks for the note and does not write it twice. A note with `section` goes to today's log, and a
   * proposal for MEMORY.md to the inbox, unless the client has `mayKeep` or the user approved this note.
   * @returns the 1-based lines of the note; `change`, which `undo` takes, null if the note was there before or the
   * history could not store it; `proposal`, the id of the proposal, null if the user refused the same one before
   */
  remember: rpc(
    forAgent.extend({
      client: clientIdSchema,
      text: z.string().trim().min(1).max(maxProgramNote),
      section: z.string().trim().min(1).max(maxTitle).optional(),
      mayBeThere: z.boolean().default(false),
    }),
    {
      path: z.string(),
      startLine: z.int(),
      endLine: z.int(),
      change: changeIdSchema.nullable(),
      proposal: idSchema.nullable().optional(),
      /** A line that the note repeats or may replace. */
      alike: evidenceSchema.optional(),
    },
  ),
  /** @throws AppError 'undo_conflict' */
  undo: rpc(forAgent.extend({ client: clientIdSchema, change: changeIdSchema }), { path: filePathSchema }),
  programs: rpc(forAgent, z.array(connectableProgramSchema)),
  connect: rpc(forProgram.extend({ agent: agentIdSchema }), done),
  disconnect: rpc(forProgram, done),
  test: rpc(forProgram.extend({ agent: agentIdSchema }), { tools: z.int() }),
  questions: base.output(z.array(writeRequestSchema)),
  /** `always` also permits future writes. */
  answer: rpc(z.object({ id: idSchema, decision: z.enum(['once', 'always', 'no']) }), done),
}
