import { z } from 'zod'
import { messageSchema } from '../messages.ts'
import { base, forAgent, sessionIdSchema } from './base.ts'

export const sessionSummarySchema = z.object({
  id: z.string(),
  title: z.string(),
  /** Milliseconds since the epoch. */
  createdAt: z.number(),
  updatedAt: z.number(),
  messages: z.number().int(),
})
export type SessionSummary = z.infer<typeof sessionSummarySchema>

/** A message on the current branch of the transcript, with the id of its entry. */
export const sessionMessageSchema = z.object({ id: z.string(), message: messageSchema })
export type SessionMessage = z.infer<typeof sessionMessageSchema>

export const sessions = {
  list: base.input(forAgent).output(z.array(sessionSummarySchema)),
  get: base.input(forAgent.extend({ session: sessionIdSchema })).output(
    z.object({
      summary: sessionSummarySchema,
      messages: z.array(sessionMessageSchema),
      /** Lines of the file that could not be read: torn by a crash, or of an unknown kind. 1-based. */
      skippedLines: z.array(z.number().int()),
    }),
  ),
}
