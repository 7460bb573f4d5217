/** Where what was found stands in a line that may be longer than any answer. */
import type { SearchResult } from '#shared/contract/index.ts'
import type { ToolContext } from './memory-tool.ts'

/** A line of so many characters may have no room in an answer as a whole. */
const longLine = 2000

export interface Place {
  /** 1-based. */
  readonly line: number
  /** 1-based; left out where it is the first, or the line is short. */
  readonly character?: number
}

/** Only a passage that is a part of one line has to be looked for there. */
export async function placeOf(
  { path, startLine, snippetLine = startLine, snippet }: SearchResult,
  { agent, client, ask }: ToolContext,
): Promise<Place> {
  if (snippet.includes('\n')) return { line: startLine }
  const read = await ask((owner) =>
    owner.workspace.lines({ agent, path, from: snippetLine, count: 1, forProgram: client }),
  )
  const [text = ''] = read.lines
  const at = text.indexOf(snippet.replace(/^…/, '').replace(/…$/, ''))
  return text.length < longLine || at < 1 ? { line: startLine } : { line: snippetLine, character: at + 1 }
}
