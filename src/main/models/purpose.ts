/**
 * What a request is for, with what only that needs. It is never sent: a language model reads the prompt, which the user
 * may have rewritten; the offline model does not understand prompts and works by this.
 */
export type Purpose =
  | ({ readonly kind: 'chat' } & Day)
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

interface Day {
  /** `YYYY-MM-DD`. */
  readonly today: string
  /** The file that today's notes go to; its name contains the day. */
  readonly todaysLog: string
}
