import { lazy } from '#shared/util/lazy.ts'
import { stem } from './stem.ts'
import { fold } from './terms.ts'
import { technicalTerms } from './words/technical-terms.ts'

const related = lazy(() => {
  const byWord = new Map<string, Set<string>>()
  for (const row of fold(technicalTerms).split('|')) {
    const [same = [], kinds = []] = row.split(':').map((words) => words.trim().split(' '))
    for (const word of same) {
      const others = byWord.get(stem(word)) ?? new Set()
      for (const other of [...same, ...kinds]) if (other !== word) others.add(other)
      byWord.set(stem(word), others)
    }
  }
  return byWord
})

/** Returns the technical terms that a word stands for. */
export function relatedTerms(word: string): readonly string[] {
  return [...(related().get(stem(fold(word))) ?? [])]
}

/** Returns the longest technical term, of two to four characters, at an offset of a folded Chinese text. */
export function technicalTermAt(text: string, at: number): string | undefined {
  return [4, 3, 2].map((length) => text.slice(at, at + length)).find((term) => term.length > 1 && related().has(term))
}
