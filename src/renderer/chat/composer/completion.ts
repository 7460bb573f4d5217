import type { Candidate } from '#shared/contract/index.ts'
import { commands } from '#shared/chat/messages.ts'
import { currentLocale } from '#lib/i18n/index.ts'
import { candidateKey } from '../../search/candidates.ts'
import { bestMatches, nameRanker, type ChineseNames } from '#lib/util/name-match.ts'

export interface Completion {
  readonly kind: 'command' | 'file' | 'note'
  readonly label: string
  /** Replaces the text from `from` to the caret. */
  readonly insert: string
  /** With `note`: the line that was found. */
  readonly note?: Candidate
}

const maxFiles = 5
const maxNotes = 4

/** Returns the text after an `@` before the caret; undefined if there is none. */
export function mentionAt(text: string, caret: number): string | undefined {
  // Chinese is written without spaces.
  return /(?:(?:^|[\s\p{Script=Han}])@|＠)(\S*)$/u.exec(text.slice(0, caret))?.[1]
}

export function commandNames({ name, chinese }: (typeof commands)[number]): readonly string[] {
  return [name, ...chinese]
}

/** Returns the name of a command in the interface's language. @param typed a beginning in another language keeps that one */
export function commandName(command: (typeof commands)[number], typed = ''): string {
  const [simplified, traditional] = command.chinese
  const own = { en: command.name, 'zh-CN': simplified, 'zh-TW': traditional }[currentLocale()]
  return [own, ...commandNames(command)].find((other) => other.startsWith(typed)) ?? own
}

/** The signs that Chinese input methods type for `/` and `@` count too. @param caret UTF-16 offset */
export function completionsAt(
  text: string,
  caret: number,
  files: readonly string[],
  chinese?: ChineseNames,
  notes: readonly Candidate[] = [],
): { from: number; items: readonly Completion[] } {
  const before = text.slice(0, caret)
  const typed = /^[/／、]([a-z]*|\p{Script=Han}*)$/u.exec(before)?.[1]
  if (typed !== undefined) {
    const items = commands
      .filter((command) => commandNames(command).some((other) => other.startsWith(typed)))
      .map((command) => commandName(command, typed))
      .map((label) => ({ kind: 'command' as const, label, insert: `/${label} ` }))
    return { from: 0, items }
  }
  const mention = mentionAt(text, caret)
  if (mention === undefined) return { from: 0, items: [] }
  const items = bestMatches(files, nameRanker(mention, chinese), (path) => path)
    .slice(0, maxFiles)
    .map((path) => ({ kind: 'file' as const, label: path, insert: `@${path} ` }))
  const noteItems = notes
    .slice(0, maxNotes)
    .map((note) => ({ kind: 'note' as const, label: candidateKey(note), insert: `@${note.path} `, note }))
  return { from: caret - mention.length - 1, items: [...items, ...noteItems] }
}
