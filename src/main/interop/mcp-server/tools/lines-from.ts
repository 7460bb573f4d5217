import { AppError } from '#shared/util/errors.ts'
import { isInPair, label } from '../bounded-answer.ts'
import type { SearchResult } from '#shared/contract/index.ts'
import type { ToolContext } from './memory-tool.ts'

/** Lines of a note as they were asked for, of so many in all. */
export interface ReadLines {
  readonly lines: readonly string[]
  readonly total: number
}

/**
 * The lines, of the first only what stands from a character on: the next one, where that is in the middle of one.
 * @param from what the first of the lines is called, 1-based
 * @throws AppError `input_invalid` behind the end of the note, or of the line
 */
export function linesFrom(path: string, { lines, total }: ReadLines, from: number, fromCharacter = 1) {
  assertThere(path, total, from)
  const [first, ...others] = lines
  if (first === undefined) return { lines: [], character: 1, length: 0 }
  if (fromCharacter > Math.max(1, first.length)) {
    const reason = `line ${from} of ${label(path)} has ${counted(first.length, 'character')}`
    throw new AppError('input_invalid', reason, { reason })
  }
  const at = isInPair(first, fromCharacter - 1) ? fromCharacter : fromCharacter - 1
  return { lines: [first.slice(at), ...others], character: at + 1, length: first.length }
}

/** @throws AppError `input_invalid` for a line behind the end of the note */
export function assertThere(path: string, total: number, line: number): void {
  if (line <= Math.max(1, total)) return
  const reason = beyondText(path, total, line)
  throw new AppError('input_invalid', reason, { reason })
}

export function beyondText(path: string, total: number, line: number): string {
  return `${label(path)} has ${counted(total, 'line')}: there is no line ${line}`
}

function counted(count: number, what: string): string {
  return `${count === 0 ? 'no' : count} ${what}${count === 1 ? '' : 's'}`
}

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
