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
} from './base.ts'

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
  /** Null if it has never connected. */
  usedAt: timestampSchema.nullable(),
  writes: z.int(),
  /** Includes private notes. */
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
  /** Deep link that makes the program add the server. */
  link: z.string().optional(),
  /** Null if the configuration can be changed. */
  problem: z.string().nullable(),
})
export type ConnectableProgram = z.infer<typeof connectableProgramSchema>

const forProgram = z.object({ program: z.string().max(maxName) })

const forClient = z.object({ client: clientIdSchema })

export const clients = {
  list: base.output(z.array(memoryClientSchema)),
  /** Registers a program on its first connection. */
  meet: base
    .input(forClient.extend({ name: z.string().max(maxName), agent: agentIdSchema.optional() }))
    .output(memoryClientSchema),
  /** Replaces the previous token. Only here the token is returned. */
  issueToken: base
    .input(forClient.extend({ name: z.string().trim().min(1).max(maxTitle), agent: agentIdSchema }))
    .output(z.object({ token: z.string() })),
  /** Null if the token is unknown or revoked. */
  admit: base.input(z.object({ token: z.string().max(maxId) })).output(memoryClientSchema.nullable()),
  update: base
    .input(
      forClient.extend({
        permission: clientPermissionSchema.optional(),
        agent: agentIdSchema.optional(),
        hasFullAccess: z.boolean().optional(),
        mayKeep: z.boolean().optional(),
        limits: clientLimitsSchema.optional(),
      }),
    )
    .output(done),
  /** Sends one event when the limits of the client allow a call, which lasts until the stream is closed. */
  enter: base.input(forClient).output(eventIterator(done)),
  /** Also revokes the token. */
  remove: base.input(forClient).output(done),
  /**
   * Appends a note for a client, after the user's approval if required. With `mayBeThere`, a retry after a lost answer,
   * it first looks for the note and does not write it twice. A note with `section` goes to today's log, and a
   * proposal for MEMORY.md to the inbox, unless the client has `mayKeep` or the user approved this note.
   * @returns the 1-based lines of the note; `change`, which `undo` takes, null if the note was there before or the
   * history could not store it; `proposal`, the id of the proposal, null if the user refused the same one before
   */
  remember: base
    .input(
      forAgent.extend({
        client: clientIdSchema,
        text: z.string().trim().min(1).max(maxProgramNote),
        section: z.string().trim().min(1).max(maxTitle).optional(),
        mayBeThere: z.boolean().default(false),
      }),
    )
    .output(
      z.object({
        path: z.string(),
        startLine: z.int(),
        endLine: z.int(),
        change: changeIdSchema.nullable(),
        proposal: idSchema.nullable().optional(),
      }),
    ),
  /** @throws AppError 'undo_conflict' */
  undo: base
    .input(forAgent.extend({ client: clientIdSchema, change: changeIdSchema }))
    .output(z.object({ path: filePathSchema })),
  programs: base.input(forAgent).output(z.array(connectableProgramSchema)),
  /** Applies the `patch` of `programs`. */
  connect: base.input(forProgram.extend({ agent: agentIdSchema })).output(done),
  disconnect: base.input(forProgram).output(done),
  /** Starts the MCP server as the program would. */
  test: base.input(forProgram.extend({ agent: agentIdSchema })).output(z.object({ tools: z.int() })),
  questions: base.output(z.array(writeRequestSchema)),
  /** `always` also permits future writes. */
  answer: base.input(z.object({ id: idSchema, decision: z.enum(['once', 'always', 'no']) })).output(done),
}
