import type { Message } from '#shared/chat/messages.ts'

export type Purpose =
  | ({
      readonly kind: 'chat'
      /** The last message is none of the user's; it stands for "go on with the answer that broke off". */
      readonly goesOn?: boolean
      /** The conversation is held without memory: there are no tools to look into it. */
      readonly isWithoutMemory?: boolean
      /** The turn from the user's message on, where a summary took the place of its beginning. */
      readonly turn?: readonly Message[]
    } & Day)
  /** The last message asks to save what the ones before it hold. */
  | ({ readonly kind: 'flush' } & Day)
  | {
      readonly kind: 'summary'
      /** As `renderInParts` has it. */
      readonly conversation: string
      /** What was summarised before, to be taken over. */
      readonly earlier: string | undefined
      /** Identifiers that an earlier try left out; the conversation is that try. */
      readonly missing: readonly string[]
    }
  /** A few words for the name of a file. */
  | { readonly kind: 'topic'; readonly said: readonly string[] }
  | { readonly kind: 'title' }
  /** Judging lines of the memory; asked of language models alone. */
  | { readonly kind: 'upkeep' }

interface Day {
  /** `YYYY-MM-DD`. */
  readonly today: string
  /** `HH:MM`, for what nobody knows the time of. */
  readonly time: string
  /** The file that today's notes go to; its name contains the day. */
  readonly todaysLog: string
}
