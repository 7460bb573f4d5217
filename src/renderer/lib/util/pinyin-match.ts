import { useEffect, useState } from 'react'

/** Returns the pinyin of a text, in full and as initials; empty if it has no Chinese characters. */
export type PinyinOf = (text: string) => readonly string[]

const noSpellings: readonly string[] = []
const hanCharacter = /\p{Script=Han}/u

let loaded: PinyinOf | undefined

/** Loads the pinyin dictionary when `isNeeded` is true. Before that, the returned function finds no spellings. */
export function usePinyin(isNeeded: boolean): PinyinOf {
  const [pinyinOf, setPinyinOf] = useState<PinyinOf>(() => loaded ?? noSpelling)
  useEffect(() => {
    if (!isNeeded || loaded) return
    // Without the dictionary, names match only as written.
    void loadDictionary().then(
      (dictionary) => setPinyinOf(() => dictionary),
      () => undefined,
    )
  }, [isNeeded])
  return pinyinOf
}

function noSpelling(): readonly string[] {
  return noSpellings
}

async function loadDictionary(): Promise<PinyinOf> {
  const { pinyin } = await import('pinyin-pro')
  const cache = new Map<string, readonly string[]>()
  loaded ??= (text) => {
    if (!hanCharacter.test(text)) return noSpellings
    const spellings =
      cache.get(text) ?? spellingsOf(pinyin(text, { toneType: 'none', type: 'array', nonZh: 'consecutive' }))
    cache.set(text, spellings)
    return spellings
  }
  return loaded
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
