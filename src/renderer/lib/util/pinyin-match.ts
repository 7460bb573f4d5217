import { useEffect, useState } from 'react'

/** Returns the pinyin of a text, in full and as initials; empty if it has no Chinese characters. */
export type PinyinOf = (text: string) => readonly string[]

const none: readonly string[] = []
const han = /\p{Script=Han}/u

let loaded: PinyinOf | undefined

/** Loads the pinyin dictionary on demand. @param isNeeded false if a search cannot need it */
export function usePinyin(isNeeded: boolean): PinyinOf {
  const [spell, setSpell] = useState<PinyinOf>(() => loaded ?? noSpelling)
  useEffect(() => {
    if (!isNeeded || loaded) return
    // Without the dictionary, names match only as written.
    void load().then(
      (known) => setSpell(() => known),
      () => undefined,
    )
  }, [isNeeded])
  return spell
}

function noSpelling(): readonly string[] {
  return none
}

async function load(): Promise<PinyinOf> {
  const { pinyin } = await import('pinyin-pro')
  const known = new Map<string, readonly string[]>()
  loaded ??= (text) => {
    if (!han.test(text)) return none
    const spelled =
      known.get(text) ?? spellingsOf(pinyin(text, { toneType: 'none', type: 'array', nonZh: 'consecutive' }))
    known.set(text, spelled)
    return spelled
  }
  return loaded
}

/**
 * Returns the joined syllables and their initials.
 * @param syllables one per Chinese character; other text as written
 */
export function spellingsOf(syllables: readonly string[]): readonly string[] {
  // Keyboards use v for ü.
  const plain = syllables.map((syllable) => syllable.toLowerCase().replaceAll('ü', 'v').trim()).filter(Boolean)
  return [plain.join(''), plain.map((syllable) => syllable[0] ?? '').join('')]
}
