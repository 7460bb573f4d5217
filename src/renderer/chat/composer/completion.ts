import type { Candidate } from '#shared/contract/index.ts'
import { commands } from '#shared/chat/messages.ts'
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

/** The signs that Chinese input methods type for `/` and `@` count too. @param caret UTF-16 offset */
export function completionsAt(
  text: string,
  caret: number,
  files: readonly string[],
  chinese?: ChineseNames,
  notes: readonly Candidate[] = [],
): { from: number; items: readonly Completion[] } {
  const before = text.slice(0, caret)
  const command = /^[/／、]([a-z]*)$/.exec(before)?.[1]
  if (command !== undefined) {
    const items = commands
      .filter(({ name }) => name.startsWith(command))
      .map(({ name }) => ({ kind: 'command' as const, label: name, insert: `/${name} ` }))
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
