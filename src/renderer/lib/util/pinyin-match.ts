import { useQuery } from '@tanstack/react-query'

/** Returns the pinyin of a text, in full and as initials; empty if it has no Chinese characters. */
export type PinyinOf = (text: string) => readonly string[]

const noSpellings: readonly string[] = []
const noSpelling: PinyinOf = () => noSpellings
const hanCharacter = /\p{Script=Han}/u

/** Loads the pinyin dictionary when `isNeeded` is true. Before that, the returned function finds no spellings. */
export function usePinyin(isNeeded: boolean): PinyinOf {
  // Without the dictionary, names match only as written.
  const dictionary = useQuery({
    queryKey: ['pinyin'],
    queryFn: loadDictionary,
    enabled: isNeeded,
    staleTime: Infinity,
    gcTime: Infinity,
    networkMode: 'always',
    retry: false,
  })
  return dictionary.data ?? noSpelling
}

async function loadDictionary(): Promise<PinyinOf> {
  const { pinyin } = await import('pinyin-pro')
  const cache = new Map<string, readonly string[]>()
  return (text) => {
    if (!hanCharacter.test(text)) return noSpellings
    const spellings =
      cache.get(text) ?? spellingsOf(pinyin(text, { toneType: 'none', type: 'array', nonZh: 'consecutive' }))
    cache.set(text, spellings)
    return spellings
  }
}

/**
 * Returns the joined syllables and their initials.
 * @param syllables one per Chinese character; other text as written
 */
export function spellingsOf(syllables: readonly string[]): readonly string[] {
  // Keyboards use v for ü.
  const normalized = syllables.map((syllable) => syllable.toLowerCase().replaceAll('ü', 'v').trim()).filter(Boolean)
  return [normalized.join(''), normalized.map((syllable) => syllable[0] ?? '').join('')]
}
