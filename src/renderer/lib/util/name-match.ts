import { useQuery } from '@tanstack/react-query'
import i18next from 'i18next'
import type * as chineseNames from './chinese-names.ts'

export type ChineseNames = typeof chineseNames

/**
 * Tells how a name matches: 0 at the start of its last part, 1 elsewhere in that part, 2 in a folder or another name,
 * 3 (`pinyinRank`) by pinyin only; undefined if it does not match. Other names are not matched by pinyin.
 */
export type RankName = (name: string, ...others: readonly string[]) => number | undefined

export const pinyinRank = 3

/** Loads the pinyin dictionary for a query that may need it. Until then, names match only as written. */
export function useChineseNames(query: string): ChineseNames | undefined {
  return useQuery({
    queryKey: ['pinyin'],
    queryFn: () => import('./chinese-names.ts'),
    enabled: /[a-z\p{Script=Han}]/iu.test(query),
    staleTime: Infinity,
    gcTime: Infinity,
    networkMode: 'always',
    retry: false,
  }).data
}

/**
 * Returns a function that ranks names by all words of a query, ignoring case, Unicode composition and traditional forms.
 * An empty query matches all names.
 */
export function nameRanker(query: string, chinese?: ChineseNames): RankName {
  const fold = (text: string) => {
    const folded = text.normalize('NFC').toLowerCase()
    return chinese?.simplify(folded) ?? folded
  }
  const words = fold(query.trim()).split(/\s+/)
  return (name, ...others) => {
    const text = fold([name, ...others].join('\n'))
    const missing = words.filter((word) => !text.includes(word))
    if (missing.length > 0)
      return chinese && missing.every((word) => chinese.hasPinyin(name, word)) ? pinyinRank : undefined
    const at = fold(name.slice(name.lastIndexOf('/') + 1)).indexOf(words[0] ?? '')
    return at < 0 ? 2 : Math.min(at, 1)
  }
}

/** Returns true if each word of a query begins a word of one of the names; a Chinese one can be anywhere in it. */
export function beginsWords(names: string, query: string): boolean {
  const words = query.normalize('NFC').trim().split(/\s+/)
  return names
    .normalize('NFC')
    .split('\n')
    .some((name) =>
      words.every((word) =>
        new RegExp(`${/^[\p{Script=Han}]/u.test(word) ? '' : '(?<![\\p{L}\\p{N}])'}${RegExp.escape(word)}`, 'iu').test(
          name,
        ),
      ),
    )
}

export function bestMatches<T>(rows: readonly T[], rankOf: RankName, nameOf: (row: T) => string): T[] {
  const compare = nameOrder()
  return rows
    .map((row) => ({ row, name: nameOf(row), rank: rankOf(nameOf(row)) ?? -1 }))
    .filter(({ rank }) => rank >= 0)
    .sort((one, other) => one.rank - other.rank || compare(one.name, other.name))
    .map(({ row }) => row)
}

/** Compares names in the order of the interface's language, with numbers by value: 2 before 10. */
export function nameOrder(): (one: string, other: string) => number {
  return new Intl.Collator(i18next.language, { numeric: true }).compare
}
