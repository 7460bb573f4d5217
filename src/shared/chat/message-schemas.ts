import { z } from 'zod'
import { errorDataSchema } from '../util/error-data.ts'
import { sourceKinds } from '../markdown/provenance.ts'
import { toolDetailsSchema } from './tool-details.ts'

export const textPartSchema = z.object({ type: z.literal('text'), text: z.string() })
export const imagePartSchema = z.object({ type: z.literal('image'), data: z.string(), mimeType: z.string() })
export const thinkingPartSchema = z.object({
  type: z.literal('thinking'),
  thinking: z.string(),
  /** What the provider wants to get back with it, unread. */
  thinkingSignature: z.string().optional(),
  /** The provider shows nothing of this thought; the signature stands for it. */
  redacted: z.boolean().optional(),
})
export const toolCallPartSchema = z.object({
  type: z.literal('toolCall'),
  id: z.string(),
  name: z.string(),
  arguments: z.record(z.string(), z.unknown()),
  /** What the provider wants to get back with the call, unread. */
  thoughtSignature: z.string().optional(),
})

/** Tokens as the provider reports them. `input` excludes what was read from or written to a prompt cache. */
export const usageSchema = z.object({
  input: z.number(),
  output: z.number(),
  cacheRead: z.number(),
  cacheWrite: z.number(),
  totalTokens: z.number(),
  /** US dollars, where the model has a price. */
  cost: z.looseObject({ total: z.number() }).optional(),
})

/** A place that is trusted less than the user. */
export const sourceSchema = z.object({ kind: z.enum(sourceKinds), name: z.string() })

/** What was read or said with local notes before a local model: no remote one ever gets it. */
const localSchema = z.literal(true).optional()

export const userMessageSchema = z.object({
  role: z.literal('user'),
  content: z.union([z.string(), z.array(z.discriminatedUnion('type', [textPartSchema, imagePartSchema]))]),
  timestamp: z.number(),
  local: localSchema,
  /** Of a summary: where some of what it stands for comes from. */
  sources: z.array(sourceSchema).optional(),
})

export const stopReasonSchema = z.enum(['stop', 'length', 'toolUse', 'error', 'aborted'])

export const assistantMessageSchema = z.object({
  role: z.literal('assistant'),
  content: z.array(z.discriminatedUnion('type', [textPartSchema, thinkingPartSchema, toolCallPartSchema])),
  provider: z.string(),
  model: z.string(),
  usage: usageSchema,
  stopReason: stopReasonSchema,
  /** The tool that was about to be called where the answer reached its longest; nothing of the call was kept. */
  cutCall: z.string().optional(),
  errorCode: z.string().optional(),
  errorMessage: z.string().optional(),
  errorData: errorDataSchema.optional(),
  timestamp: z.number(),
  local: localSchema,
  /** What a remote model said of local lines without having been shown them: its own words. */
  guessed: z.array(z.string()).optional(),
})

export const toolResultMessageSchema = z.object({
  role: z.literal('toolResult'),
  toolCallId: z.string(),
  toolName: z.string(),
  content: z.array(z.discriminatedUnion('type', [textPartSchema, imagePartSchema])),
  details: toolDetailsSchema.optional(),
  isError: z.boolean(),
  timestamp: z.number(),
  local: localSchema,
  /** Where what was read comes from. */
  sources: z.array(sourceSchema).optional(),
})

export const messageSchema = z.discriminatedUnion('role', [
  userMessageSchema,
  assistantMessageSchema,
  toolResultMessageSchema,
])
