/**
 * What one language's turns of phrase are made of, for the offline model to tell what a message asks for. Patterns meet
 * text whose full-width Latin letters, digits and punctuation are plain ones and whose Chinese is simplified; they look
 * at one line or several, and never at what is quoted from elsewhere.
 */

export interface Reading {
  /** Said before what is meant; taken off the beginning, again and again. */
  readonly opening: RegExp
  /** Of a whole message, without what ends it (emoji, full stops). */
  readonly greeting: RegExp
  readonly thanks: RegExp
  /** Yes, all right, never mind, good-bye: nothing to do. */
  readonly assent: RegExp
  readonly help: RegExp
  readonly files: RegExp
  /** Something that only a language model can do. */
  readonly task: RegExp
  /** Asks for the day or the hour; `@` stands where a day was named. */
  readonly clock: RegExp
  /** What is written is to be deleted or changed; the group `text` is what it is about. */
  readonly amend: readonly RegExp[]
  /** What is to be deleted or changed is named only by pointing at it: that one, the last one. */
  readonly pointing: RegExp
  /** What is said is not to be kept. */
  readonly notThis: RegExp
  /** How many notes there are; what is in them all; what is known of the user. */
  readonly count: RegExp
  readonly digest: RegExp
  readonly aboutMe: RegExp
  /** With a day to come: something is planned. */
  readonly plan: RegExp
  /** Ways to have something noted; the group `text` is what. Tried in order. */
  readonly save: readonly RegExp[]
  /** True signs of a note, whatever else it looks like. */
  readonly surelySave: RegExp
  /** What a note ends with that belongs to the asking, and what stands for it then. */
  readonly noteEnds: readonly (readonly [end: RegExp, instead: string])[]
  /** In what looks like a note to save: it is asked for. */
  readonly asksForNote: RegExp
  /** A question, or a request to look something up. */
  readonly asks: RegExp
  /** Between what is stated and what is asked in one sentence. */
  readonly turns: RegExp
  /** Something is stated. */
  readonly states: RegExp
  /** Asks for what was noted at a time: a message that has nothing else but the time, these words and fillers. */
  readonly asksForLog: RegExp
  readonly logWords: RegExp
  /** Days of the week as they are said without "last" or "on", Monday first. */
  readonly weekday: RegExp
  readonly weekdays: string
  /** Words and endings that say nothing of what a question is about. */
  readonly hollow: RegExp
}

/** One of several; each is a pattern of its own. */
export function any(...patterns: readonly string[]): string {
  return `(?:${patterns.join('|')})`
}
