import { comparableForms } from '#shared/markdown/visibility.ts'
import { countCjk, plainWords } from '#shared/util/tokens.ts'

/** Minimum length of text that is also found within a longer line, in characters; CJK characters count three times. */
const minPart = 20
/** A day that the app adds to a note about, for example, tomorrow. */
const addedDay = /\s*[(（]\d{4}-\d{2}-\d{2}[)）]/g

/** Finds lines of notes in texts by their words: punctuation, case and the text around them do not matter. */
export class LineFinder {
  /** By their first two words; those of a short line begin and end with a line break. */
  readonly #lines = new Map<string, string[][]>()

  /** Adds a line and its longer sentences. */
  add(line: string): void {
    const forms = comparableForms(line).flatMap((form) => [form, form.replaceAll(addedDay, '')])
    const isLong = (text: string) => text.length + 2 * countCjk(text) >= minPart
    const sentences = forms.flatMap((form) => form.split(/(?<=[.!?;]\s|[。！？；])/)).filter(isLong)
    for (const text of new Set([...forms, ...sentences])) {
      const words = isLong(text) ? plainWords(text) : wordsOfLine(text)
      // A line such as `---` has no words.
      if (!words.some((word) => word !== '\n')) continue
      const others = this.#lines.get(startAt(words, 0))
      if (others) others.push(words)
      else this.#lines.set(startAt(words, 0), [words])
    }
  }

  isIn(text: string): boolean {
    if (this.#lines.size === 0) return false
    const lines = text.split('\n').flatMap(comparableForms).map(wordsOfLine)
    return lines.some((words) =>
      words.some((_, at) => {
        const candidates = this.#lines.get(startAt(words, at)) ?? []
        return candidates.some((line) => line.every((word, index) => word === words[at + index]))
      }),
    )
  }
}

const wordsOfLine = (line: string) => ['\n', ...plainWords(line), '\n']
const startAt = (words: readonly string[], at: number) => `${words[at]} ${words[at + 1]}`
