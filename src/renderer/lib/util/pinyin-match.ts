import { useEffect, useState } from 'react'

/** Returns the pinyin of a text, in full and as initials; empty if it has no Chinese characters. */
export type Spell = (text: string) => readonly string[]

const none: readonly string[] = []
const han = /\p{Script=Han}/u

let loaded: Spell | undefined

/**
 * Loads the pinyin dictionary on demand.
 * @param isWanted false if a search cannot need it
 */
export function usePinyin(isWanted: boolean): Spell {
  const [spell, setSpell] = useState<Spell>(() => loaded ?? noSpelling)
  useEffect(() => {
    if (!isWanted || loaded) return
    // Without the dictionary, names match only as written.
    void load().then(
      (known) => setSpell(() => known),
      () => undefined,
    )
  }, [isWanted])
  return spell
}

function noSpelling(): readonly string[] {
  return none
}

async function load(): Promise<Spell> {
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
