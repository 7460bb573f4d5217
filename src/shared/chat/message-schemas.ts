import { z } from 'zod'
import { errorDataSchema } from '../util/error-data.ts'
import { timestampSchema } from '../contract/base.ts'
import { sourceKinds } from '../markdown/provenance.ts'
import { recordedSearchSchema } from '../contract/search.ts'
import { fileChangeSchema } from '../util/file-change.ts'

export const textPartSchema = z.object({ type: z.literal('text'), text: z.string() })
export const imagePartSchema = z.object({ type: z.literal('image'), data: z.string(), mimeType: z.string() })
export type ImagePart = z.infer<typeof imagePartSchema>
export const thinkingPartSchema = z.object({
  type: z.literal('thinking'),
  thinking: z.string(),
  /** Opaque provider data to send back with this part. */
  thinkingSignature: z.string().optional(),
  /** True if the provider hides the text; only the signature is sent back. */
  redacted: z.boolean().optional(),
})
export const toolCallPartSchema = z.object({
  type: z.literal('toolCall'),
  id: z.string(),
  name: z.string(),
  arguments: z.record(z.string(), z.unknown()),
  /** Like `thinkingSignature`, for providers that attach it to the call. */
  thoughtSignature: z.string().optional(),
})
export type ToolCallPart = z.infer<typeof toolCallPartSchema>

/** Token counts reported by the provider. `input` excludes tokens read from or written to the prompt cache. */
export const usageSchema = z.object({
  input: z.number(),
  output: z.number(),
  cacheRead: z.number(),
  cacheWrite: z.number(),
  totalTokens: z.number(),
  /** US dollars; undefined if the model has no price. Other fields, such as the parts of the total, are kept. */
  cost: z.looseObject({ total: z.number() }).optional(),
})
export type Usage = z.infer<typeof usageSchema>

const wrongArgumentSchema = z.object({
  /** Argument name; empty if the error concerns all arguments. */
  field: z.string(),
  fault: z.enum(['missing', 'type', 'tooSmall', 'tooLarge', 'choice', 'unknown', 'other']),
  /** The expected type, limit or allowed values; may be empty. */
  expected: z.string(),
})
export type WrongArgument = z.infer<typeof wrongArgumentSchema>

export const toolDetailsSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('recall'), recall: recordedSearchSchema }),
  z.object({ kind: z.literal('change'), change: fileChangeSchema }),
  z.object({ kind: z.literal('wrongArguments'), problems: z.array(wrongArgumentSchema) }),
  /** No tool ran: unknown name, unparseable call, or not allowed. */
  z.object({ kind: z.literal('notCalled') }),
  z.object({ kind: z.literal('foreign'), value: z.unknown() }),
])
export type ToolDetails = z.infer<typeof toolDetailsSchema>

/** Parses the details of a transcript. @returns kind `foreign` for any other value */
export function readToolDetails(stored: unknown): ToolDetails {
  const parsed = toolDetailsSchema.safeParse(stored)
  return parsed.success && parsed.data.kind !== 'foreign' ? parsed.data : { kind: 'foreign', value: stored }
}

/** Returns the form stored in a transcript: foreign details are stored as received. */
export function storedToolDetails(details: ToolDetails): unknown {
  return details.kind === 'foreign' ? details.value : details
}

export const untrustedSourceSchema = z.object({ kind: z.enum(sourceKinds), name: z.string() })

const fileChangeNoteSchema = z.object({
  path: z.string(),
  added: z.array(z.string()),
  removed: z.array(z.string()),
})
export type FileChangeNote = z.infer<typeof fileChangeNoteSchema>

/** Notes, one on each line, and the search that found them. */
const recalledNotesSchema = z.object({
  text: z.string(),
  search: recordedSearchSchema,
  sources: z.array(untrustedSourceSchema),
})
export type RecalledNotes = z.infer<typeof recalledNotesSchema>

export const userMessageSchema = z.object({
  role: z.literal('user'),
  content: z.union([z.string(), z.array(z.discriminatedUnion('type', [textPartSchema, imagePartSchema]))]),
  timestamp: timestampSchema,
  /** Changes of the loaded files that are sent with the message. */
  changes: z.array(fileChangeNoteSchema).optional(),
  /** Notes that the app found for the message and sends with it. */
  recalled: recalledNotesSchema.optional(),
  /** For a summary, which is stored as a user message: the sources of what it summarizes. */
  sources: z.array(untrustedSourceSchema).optional(),
})
export type UserMessage = z.infer<typeof userMessageSchema>

export const stopReasonSchema = z.enum(['stop', 'length', 'toolUse', 'error', 'aborted'])
export type StopReason = z.infer<typeof stopReasonSchema>

export const assistantMessageSchema = z.object({
  role: z.literal('assistant'),
  content: z.array(z.discriminatedUnion('type', [textPartSchema, thinkingPartSchema, toolCallPartSchema])),
  provider: z.string(),
  model: z.string(),
  usage: usageSchema,
  stopReason: stopReasonSchema,
  /** Name of the tool whose call was cut off by the output limit; the call itself is dropped. */
  cutCall: z.string().optional(),
  /** The answer has a tool call in an unknown format, or of a tool that there is not, as text. */
  unreadCall: z.literal(true).optional(),
  /** From the offline model: a statement in the user's message that can be saved as a note. */
  keep: z.string().optional(),
  errorCode: z.string().optional(),
  errorMessage: z.string().optional(),
  errorData: errorDataSchema.optional(),
  timestamp: timestampSchema,
})
export type AssistantMessage = z.infer<typeof assistantMessageSchema>

export const toolResultMessageSchema = z.object({
  role: z.literal('toolResult'),
  toolCallId: z.string(),
  toolName: z.string(),
  content: z.array(z.discriminatedUnion('type', [textPartSchema, imagePartSchema])),
  details: toolDetailsSchema.optional(),
  isError: z.boolean(),
  timestamp: timestampSchema,
  sources: z.array(untrustedSourceSchema).optional(),
})
export type ToolResultMessage = z.infer<typeof toolResultMessageSchema>

export const messageSchema = z.discriminatedUnion('role', [
  userMessageSchema,
  assistantMessageSchema,
  toolResultMessageSchema,
])
export type Message = z.infer<typeof messageSchema>
