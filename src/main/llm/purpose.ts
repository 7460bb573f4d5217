import type { Message } from '#shared/chat/messages.ts'

export type Purpose =
  | ({
      readonly kind: 'chat'
      /** True if the last message is the app's request to continue an interrupted answer. */
      readonly continuesAnswer?: boolean
      /** True if memory is off in the conversation; the request has no memory tools. */
      readonly isWithoutMemory?: boolean
      /** The current turn from the user's message on, if a summary replaces its beginning. */
      readonly turn?: readonly Message[]
    } & Day)
  /** The last message asks to save notes from the messages before it. */
  | ({ readonly kind: 'flush' } & Day)
  | {
      readonly kind: 'summary'
      /** Rendered by `renderInParts`. */
      readonly conversation: string
      readonly earlier: string | undefined
      /** Identifiers that the previous attempt left out; `conversation` is then that attempt. */
      readonly missing: readonly string[]
    }
  /** A few words for a file name. */
  | { readonly kind: 'topic' }
  | { readonly kind: 'title' }
  /** Review of memory lines; only for language models, not for the offline model. */
  | { readonly kind: 'upkeep' }

interface Day {
  /** `YYYY-MM-DD`. */
  readonly today: string
  /** `HH:MM`, for messages without a time. */
  readonly time: string
  /** File for today's notes; its name contains the date. */
  readonly todaysLog: string
}
