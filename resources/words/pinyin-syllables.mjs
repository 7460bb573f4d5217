/**
 * `node resources/words/pinyin-syllables.mjs`: writes src/main/search/text/words/pinyin-syllables.ts from the
 * dictionaries of pinyin-pro (MIT). Loading the package itself would take each search worker 30 ms and 9 MB.
 */
import { writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { polyphonic } from 'pinyin-pro'
import twoCharacters from 'pinyin-pro/dist/esm/data/dict2.mjs'
import threeCharacters from 'pinyin-pro/dist/esm/data/dict3.mjs'
import surnames from 'pinyin-pro/dist/esm/data/surname.mjs'
import { simplify } from '../../src/main/search/text/han.ts'

const { version } = createRequire(import.meta.url)('pinyin-pro/package.json')

/** Characters of names that the character sets below lack. */
const names = '喆玥堃珺祎瑄垚翀昉旻昇沄濛洺婳嫄媞姮孖峣彧翙芃虓訸頔飏媖镕烜晗玘玏琎昫晅暄瑀璟'
/**
 * Common readings that the package's words lack. Longer words are not used, because idioms have obsolete readings. 干
 * and 着 also stand for 乾 and 著 in simplified text.
 */
const added = new Map(
  (
    '地de 粘zhan 盛cheng 熟shou 勒lei 咽ye 咖ga 嗯en 堡pu 埔bu 隽jun 谁shei 落la 嚼jiao 藏cang 食shi 夹ga 瀑bao ' +
    '干qian 着zhu'
  )
    .split(' ')
    .map((entry) => [entry.charAt(0), entry.slice(1)]),
)

/** Returns the Han characters of a part of a character set, simplified. */
function charactersOf(encoding, [firstLead, lastLead], [firstTrail, lastTrail]) {
  const decoder = new TextDecoder(encoding)
  const found = new Set()
  for (let lead = firstLead; lead <= lastLead; lead += 1) {
    for (let trail = firstTrail; trail <= lastTrail; trail += 1) {
      const letter = decoder.decode(Uint8Array.of(lead, trail))
      if (/^[\u4e00-\u9fff]$/.test(letter)) found.add(simplify(letter))
    }
  }
  return found
}

/** The characters of GB 2312, and those of two of the sets of Taiwan, Japan and Korea. */
function commonCharacters() {
  const big5 = charactersOf('big5', [0xa4, 0xf9], [0x40, 0xfe])
  const japanese = charactersOf('euc-jp', [0xb0, 0xf4], [0xa1, 0xfe])
  const korean = charactersOf('euc-kr', [0xca, 0xfd], [0xa1, 0xfe])
  const inTwo = [big5.intersection(japanese), big5.intersection(korean), japanese.intersection(korean)]
  const chinese = charactersOf('gbk', [0xb0, 0xf7], [0xa1, 0xfe])
  return [...inTwo.reduce((all, some) => all.union(some), chinese).union(new Set(names))].sort()
}

const toneless = (reading) =>
  reading
    .normalize('NFD')
    .replace(/u\u0308/g, 'v')
    .replace(/[\u0300-\u036f]/g, '')
    .toLowerCase()

/** Returns the readings, by character, that occur in words. */
function readingsInWords() {
  const found = new Map()
  const words = { ...twoCharacters, ...threeCharacters, ...surnames }
  for (const [word, readings] of Object.entries(words)) {
    const syllables = toneless(readings).split(' ')
    for (const [index, letter] of [...word].entries()) {
      found.set(letter, (found.get(letter) ?? new Set()).add(syllables[index]))
    }
  }
  return found
}

const inWords = readingsInWords()
const bySyllable = new Map()
for (const letter of commonCharacters()) {
  const [readings = ''] = polyphonic(letter, { nonZh: 'removed' })
  const [first, ...others] = new Set(readings.split(' ').map(toneless))
  const common = others.filter((reading) => inWords.get(letter)?.has(reading))
  for (const syllable of new Set([first, ...common, added.get(letter) ?? first])) {
    if (/[aeiouv]/.test(syllable)) bySyllable.set(syllable, (bySyllable.get(syllable) ?? '') + letter)
  }
}
const rows = [...bySyllable].sort(([one], [other]) => (one < other ? -1 : 1)).map((row) => row.join(''))

writeFileSync(
  new URL('../../src/main/search/text/words/pinyin-syllables.ts', import.meta.url),
  `/**
 * Syllables of Mandarin without tones, each with its characters, from the dictionaries of pinyin-pro ${version} (MIT).
 * Written by resources/words/pinyin-syllables.mjs. v is ü. Simplified characters only. A character has its first
 * reading, and the others that occur in words or surnames.
 */
export const pinyinSyllables = \`
${rows.join('\n')}
\`
`,
)
