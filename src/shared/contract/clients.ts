import { z } from 'zod'
import { maxId, maxName, maxNote, maxTitle } from '../util/limits.ts'
import { agentIdSchema, base, filePathSchema, forAgent, idSchema } from './base.ts'

/** What a program may do: read and write, write once the user has said so, or read only. */
export const clientPermissionSchema = z.enum(['write', 'ask', 'read'])
export type ClientPermission = z.infer<typeof clientPermissionSchema>

/** As programs name themselves, in lower case: `claude-code`. */
export const clientIdSchema = z.string().regex(/^[a-z0-9][a-z0-9._-]{0,63}$/)

export const memoryClientSchema = z.object({
  id: clientIdSchema,
  /** As it is shown. */
  name: z.string(),
  /** Whose memory it uses. */
  agent: agentIdSchema,
  permission: clientPermissionSchema,
  /** Whether there is a token by which it may come over HTTP. */
  hasToken: z.boolean(),
  /** Milliseconds since the epoch; null for one that never came. */
  usedAt: z.number().nullable(),
  /** How many notes it has written. */
  writes: z.number().int(),
  /** Its model runs on this machine, says the user: it sees what is marked local. */
  isLocal: z.boolean(),
  /** It may write into MEMORY.md by itself; else that waits in the inbox. */
  mayKeep: z.boolean(),
})
export type MemoryClient = z.infer<typeof memoryClientSchema>

/** What a program wants to write, and the user has not answered yet. */
export const clientQuestionSchema = z.object({
  id: z.string(),
  client: clientIdSchema,
  name: z.string(),
  agent: agentIdSchema,
  text: z.string(),
  section: z.string().optional(),
})
export type ClientQuestion = z.infer<typeof clientQuestionSchema>

/** A program that this memory can be registered with. */
export const connectableProgramSchema = z.object({
  id: z.string(),
  name: z.string(),
  /** Its configuration. */
  file: z.string(),
  /** Whether the folder of its configuration is there. */
  isThere: z.boolean(),
  /** `other`: it has an entry of this name that says something else. */
  state: z.enum(['none', 'connected', 'other']),
  /** What connecting it changes in its configuration; empty where nothing. */
  patch: z.string(),
  /** A link by which the program adds it by itself. */
  link: z.string().optional(),
  /** Why its configuration cannot be changed. */
  problem: z.string().nullable(),
})
export type ConnectableProgram = z.infer<typeof connectableProgramSchema>

const forProgram = z.object({ program: z.string().max(maxName) })

const forClient = z.object({ client: clientIdSchema })

/** Characters of one text of an answer; whole notes are among them. */
const maxPassed = 20_000_000

export const clients = {
  list: base.output(z.array(memoryClientSchema)),
  /** A program that came by itself: known from now on, with the permission that it has. */
  meet: base
    .input(forClient.extend({ name: z.string().max(maxName), agent: agentIdSchema.optional() }))
    .output(memoryClientSchema),
  /** Gives a program a token of its own, and makes the one before worthless. It is told this once. */
  issueToken: base
    .input(forClient.extend({ name: z.string().trim().min(1).max(maxTitle), agent: agentIdSchema }))
    .output(z.object({ token: z.string() })),
  /** Whose token it is; null for one that is nobody's (any more). */
  admit: base.input(z.object({ token: z.string().max(maxId) })).output(memoryClientSchema.nullable()),
  update: base
    .input(
      forClient.extend({
        permission: clientPermissionSchema.optional(),
        agent: agentIdSchema.optional(),
        isLocal: z.boolean().optional(),
        mayKeep: z.boolean().optional(),
      }),
    )
    .output(z.object({})),
  /** Takes its token back, and forgets what it may. */
  remove: base.input(forClient).output(z.object({})),
  /**
   * Appends a note on a program's account, once it may. `mayBeThere`: it was asked for before, and nobody answered. What is
   * for a section of MEMORY.md stands in the log, and waits in the inbox for MEMORY.md, unless the program may write there,
   * or the user was shown this very note and allowed it.
   * @returns where it stands, by what it can be taken back, and the proposal (null where it was refused before)
   */
  remember: base
    .input(
      forAgent.extend({
        client: clientIdSchema,
        text: z.string().trim().min(1).max(maxNote),
        section: z.string().trim().min(1).max(maxTitle).optional(),
        mayBeThere: z.boolean().default(false),
      }),
    )
    .output(
      z.object({
        path: z.string(),
        startLine: z.number().int(),
        endLine: z.number().int(),
        undo: idSchema,
        proposal: idSchema.nullable().optional(),
      }),
    ),
  /** Looks which notes are local, while a call of a program is worked on; null where none is that it may not see. */
  look: base.input(forAgent.extend({ client: clientIdSchema })).output(z.object({ look: idSchema.nullable() })),
  /** Texts of an answer as the program may see them, by that look: the last gate before they leave. */
  pass: base
    .input(
      forAgent.extend({
        client: clientIdSchema,
        look: idSchema.optional(),
        texts: z.array(z.string().max(maxPassed)).max(10_000),
        /** The program's own words, which are no secret to it. */
        own: z.array(z.string().max(maxPassed)).max(10_000).optional(),
      }),
    )
    .output(z.object({ texts: z.array(z.string()) })),
  /** Takes back what this program had written. */
  undo: base
    .input(forAgent.extend({ client: clientIdSchema, undo: idSchema }))
    .output(z.object({ path: filePathSchema })),
  /** With whom this agent's memory can be registered. */
  programs: base.input(forAgent).output(z.array(connectableProgramSchema)),
  /** Writes what `programs` says, and keeps all else that stands there. */
  connect: base.input(forProgram.extend({ agent: agentIdSchema })).output(z.object({})),
  /** Takes the entry out again. */
  disconnect: base.input(forProgram).output(z.object({})),
  /** Starts the memory as the program would, and asks for its tools. */
  test: base.input(forProgram.extend({ agent: agentIdSchema })).output(z.object({ tools: z.number().int() })),
  questions: base.output(z.array(clientQuestionSchema)),
  /** `always`: it is not asked again. */
  answer: base.input(z.object({ id: idSchema, decision: z.enum(['once', 'always', 'no']) })).output(z.object({})),
}
