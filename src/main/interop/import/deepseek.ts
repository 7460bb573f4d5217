/**
 * Chats of a DeepSeek export (`conversations.json`). A chat is a tree of messages without a last one; the kinds of a
 * message's fragments say who wrote it. The form is that of exports of 2025 and 2026; DeepSeek does not document it.
 */
import { z } from 'zod'
import { hasText, messageOf, readTree, toDate, type CountOmitted, type ImportedChat } from './chats.ts'

const chatSchema = z.looseObject({
  id: z.string().optional().catch(undefined),
  title: z.string().nullish().catch(null),
  inserted_at: z.string().nullish().catch(null),
  mapping: z.record(z.string(), z.unknown()),
})

const nodeSchema = z.looseObject({
  parent: z.string().nullish().catch(null),
  message: z
    .looseObject({
      inserted_at: z.string().nullish().catch(null),
      files: z.array(z.unknown()).nullish().catch(null),
      fragments: z.array(z.looseObject({ type: z.string(), content: z.unknown() })),
    })
    .nullish(),
})

/** @returns undefined if the value is no chat */
export function readDeepseekChat(value: unknown, count: CountOmitted): ImportedChat | undefined {
  const parsed = chatSchema.safeParse(value)
  if (!parsed.success) return undefined
  const { id, title, inserted_at, mapping } = parsed.data
  const timeOf = ({ message }: z.infer<typeof nodeSchema>) => toDate(message?.inserted_at)?.getTime() ?? 0
  const { shown, others } = readTree(mapping, nodeSchema, { count, timeOf })
  count('branch', others.filter(({ message }) => message).length)
  const messages = shown.flatMap(({ message }) => {
    count('file', message?.files?.length ?? 0)
    return (message?.fragments ?? []).flatMap(({ type, content }) => {
      const isUser = type === 'REQUEST'
      if (!isUser && type !== 'RESPONSE') count(type === 'THINK' ? 'hidden' : 'tool')
      else if (hasText(content)) return [messageOf(isUser ? 'User' : 'Assistant', content.trim())]
      return []
    })
  })
  return { id: id ?? '', title: title ?? '', createdAt: toDate(inserted_at), messages }
}
