/** Other programs that use this memory (M58): who they are, what they may, and what they have written. */
import { z } from 'zod'
import { maxId, maxName, maxNote, maxTitle } from '../limits.ts'
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

const forClient = z.object({ client: clientIdSchema })

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
    .input(forClient.extend({ permission: clientPermissionSchema.optional(), agent: agentIdSchema.optional() }))
    .output(z.object({})),
  /** Takes its token back, and forgets what it may. */
  remove: base.input(forClient).output(z.object({})),
  /**
   * Appends a note on a program's account, once it may. `mayBeThere`: it was asked for before, and nobody answered.
   * @returns where it stands, and by what it can be taken back
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
    .output(z.object({ path: z.string(), startLine: z.number().int(), endLine: z.number().int(), undo: idSchema })),
  /** Takes back what this program had written. */
  undo: base
    .input(forAgent.extend({ client: clientIdSchema, undo: idSchema }))
    .output(z.object({ path: filePathSchema })),
  questions: base.output(z.array(clientQuestionSchema)),
  /** `always`: it is not asked again. */
  answer: base.input(z.object({ id: idSchema, decision: z.enum(['once', 'always', 'no']) })).output(z.object({})),
}
