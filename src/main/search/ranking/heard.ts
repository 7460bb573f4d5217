/**
 * What a conversation says beside the question that is being asked again (M54): its terms are made anew from what is left.
 * Only passages of conversations are read for it, so that other searches pay nothing. Pure.
 */
import { ChunkPacker, readTerms, type PackedTerms } from '../keyword/packed-terms.ts'
import { withoutQuestion } from './echo.ts'
import type { FilteredQuery } from '../query/filters.ts'
import type { ChunkWithTerms } from '../keyword/keyword-index.ts'

/** A conversation's terms without the question, where somebody asked it there before; undefined where nobody did. */
export function heardOf(
  { id, path, source }: ChunkWithTerms,
  { topic }: FilteredQuery,
  textOf: (id: number) => string,
): { readonly terms: PackedTerms; readonly question: string } | undefined {
  // The end of a conversation is kept in a daily log with a name of its own.
  if (source !== 'sessions' && !/(?:^|\/)memory\/\d{4}-\d{2}-\d{2}-/.test(path)) return undefined
  const heard = withoutQuestion(textOf(id), topic)
  if (!heard) return undefined
  const { terms } = new ChunkPacker(path).pack({ text: heard.rest, heading: '' })
  return { terms: readTerms(terms), question: heard.question }
}

/** Reads each text once. @param read undefined for a chunk that is gone */
export function textReader(read: (id: number) => string | undefined): (id: number) => string {
  const texts = new Map<number, string>()
  return (id) => {
    const text = texts.get(id) ?? read(id) ?? ''
    texts.set(id, text)
    return text
  }
}
