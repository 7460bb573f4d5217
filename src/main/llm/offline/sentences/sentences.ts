/** What the offline model says around the quotes, and the headings under which it keeps things. */

export interface Sentences {
  readonly greeting: string
  readonly thanks: string
  readonly assent: string
  /** Something was told, and nobody asked to note it. */
  readonly heard: string
  /** Told beside a question: `statement` was not noted. */
  readonly toldBeside: (statement: string) => string
  readonly help: string
  readonly nothingToRemember: string
  readonly remembered: (path: string) => string
  /** `span`: a day, or the first and the last one. */
  readonly nothingIn: (span: string) => string
  readonly periodHas: (span: string) => string
  /** Entries of a long time that are not shown. */
  readonly more: (count: number) => string
  readonly filesAre: string
  readonly noFiles: string
  readonly needsModel: string
  /** `time` is `HH:MM`. */
  readonly clock: (isToday: boolean, day: string, time: string) => string
  /** What is written is the user's to delete and change. */
  readonly cannotChange: string
  /** Before the lines that are meant. */
  readonly changeThere: string
  readonly changeInLog: (path: string) => string
  /** Before the last note of the conversation. */
  readonly changeLast: string
  readonly nothingToChange: string
  /** What was said is not to be kept, and is not. */
  readonly notKept: string
  readonly counted: (notes: number, files: number) => string
  readonly countedFiles: (files: number) => string
  readonly digest: string
  readonly noNotes: string
  readonly aboutYou: string
  readonly nothingAboutYou: string
  readonly found: string
  readonly foundClosest: string
  /** Before what the user said in other conversations, which nobody noted. */
  readonly saidEarlier: string
  /** Asked when: the quoted line names a time itself. */
  readonly whenWritten: string
  /** Asked when: it names none; all there is are the days on which it was noted. */
  readonly whenNoted: (dates: string) => string
  /** Behind a place, to tell the note's own day from days that it speaks of. */
  readonly notedOn: (date: string) => string
  readonly nothingFound: (query: string) => string
  readonly noModel: string
  readonly toolFailed: (reason: string) => string
  /** The conversation is held without memory, and what was said wants to look into it or to write there. */
  readonly withoutMemory: string
  /** A note holds a character that no text file can hold. */
  readonly unwritable: string
  /** Heading of what a flush wrote. */
  readonly kept: string
  /** What is kept of a conversation that ended: where it lies, and who speaks. */
  readonly ending: (path: string) => string
  readonly user: string
  readonly assistant: string
  readonly summary: {
    readonly goal: string
    readonly decisions: string
    readonly facts: string
    readonly open: string
    readonly files: string
    readonly none: string
    readonly alsoSpokenOf: string
  }
}
