import { useEffect, useState } from 'react'

/** Spellings of a text, in full and by initials; none for a text without Chinese. */
export type Spell = (text: string) => readonly string[]

const none: readonly string[] = []
const han = /\p{Script=Han}/u

let loaded: Spell | undefined

/** @param isWanted whether there is anything Chinese to be found */
export function usePinyin(isWanted: boolean): Spell {
  const [spell, setSpell] = useState<Spell>(() => loaded ?? noSpelling)
  useEffect(() => {
    if (!isWanted || loaded) return
    // Without it, names are found as they are written.
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

/** @param syllables one a character; what is not Chinese as it stands */
export function spellingsOf(syllables: readonly string[]): readonly string[] {
  // Keyboards have a v for it.
  const plain = syllables.map((syllable) => syllable.toLowerCase().replaceAll('ü', 'v').trim()).filter(Boolean)
  return [plain.join(''), plain.map((syllable) => syllable[0] ?? '').join('')]
}
