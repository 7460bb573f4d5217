import { commands } from '#shared/chat/commands.ts'

export interface Completion {
  readonly kind: 'command' | 'file'
  readonly label: string
  /** Replaces the text from `from` to the caret. */
  readonly insert: string
}

export interface Completions {
  /** UTF-16 offset. */
  readonly from: number
  readonly items: readonly Completion[]
}

const maxFiles = 8
const noCompletions: Completions = { from: 0, items: [] }

/**
 * Returns the commands for a `/` at the start of the text, or the files for a word with `@` before the caret.
 * @param caret UTF-16 offset
 */
export function completionsAt(text: string, caret: number, files: readonly string[]): Completions {
  const before = text.slice(0, caret)
  const command = /^\/([a-z]*)$/.exec(before)?.[1]
  if (command !== undefined) {
    const items = commands
      .filter(({ name }) => name.startsWith(command))
      .map(({ name }) => ({ kind: 'command' as const, label: name, insert: `/${name} ` }))
    return { from: 0, items }
  }
  const mention = /(?:^|\s)@(\S*)$/.exec(before)?.[1]
  if (mention === undefined) return noCompletions
  const items = rankFiles(files, mention.toLowerCase())
    .slice(0, maxFiles)
    .map((path) => ({ kind: 'file' as const, label: path, insert: `@${path} ` }))
  return { from: caret - mention.length - 1, items }
}

function rankFiles(files: readonly string[], query: string): string[] {
  const scored = files.flatMap((path) => {
    const lower = path.toLowerCase()
    const name = lower.slice(lower.lastIndexOf('/') + 1)
    if (name.startsWith(query)) return [{ path, score: 0 }]
    if (name.includes(query)) return [{ path, score: 1 }]
    return lower.includes(query) ? [{ path, score: 2 }] : []
  })
  return scored.sort((a, b) => a.score - b.score || a.path.length - b.path.length).map(({ path }) => path)
}
