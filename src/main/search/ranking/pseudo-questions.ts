/**
 * Questions made from the memory itself, to learn what a model's cosines mean there (M17) without asking anybody. A
 * *probe* names two rare words of a passage, the rarest one in no other file, as a question does; what is nearest to it in other files shows how near
 * a question comes to passages that do not answer it. A *pair* is two texts that belong together and were written apart
 * (a heading and what stands under it, a passage and the next): whoever understands texts finds the one by the other.
 * Both are chosen in the order of the passages' hashes, one of each file in turn, so that the same memory gives the same
 * questions and a long file no more than others. Pure.
 */
import { scripts, type Script } from '#shared/contract/search.ts'
import { segmenter } from '#shared/util/segmenter.ts'
import { languagePairs } from './language-pairs.ts'
import { stem } from '../text/stem.ts'
import { fold } from '../text/terms.ts'
import { roleOfCjk, roleOfStem } from '../text/stop-words.ts'

export interface SampledPassage {
  readonly file: string
  readonly heading: string
  /** Without the heading. */
  readonly body: string
  /** The passage that follows under the same heading, without that. */
  readonly next: string | undefined
}

export interface Probe {
  readonly script: Script
  readonly text: string
  /** The words are from there. */
  readonly file: string
}

export interface Pair {
  readonly script: Script
  readonly one: string
  readonly other: string
}

export interface PseudoQuestions {
  readonly probes: readonly Probe[]
  readonly pairs: readonly Pair[]
}

/** Passages that are looked at. */
export const sampleSize = 4000

/** @param text of the passage, its heading first @param after what follows in the same chunk */
export function sampledPassage(file: string, text: string, after: string | undefined): SampledPassage {
  const { heading, body } = parted(text)
  const next = after === undefined ? undefined : parted(after)
  return { file, heading, body, next: next?.heading === heading ? next.body : undefined }
}

/** What is asked to measure a model, and each text of it once; `groups`: what each passage is part of. */
export function questionsOf(sampled: readonly SampledPassage[]): PseudoQuestions & {
  readonly groups: readonly string[]
  /** Of the scripts that the memory has. */
  readonly language: readonly Pair[]
  readonly texts: readonly string[]
} {
  const groups = groupsOf(sampled)
  const questions = pseudoQuestions(sampled.map((one, index) => ({ ...one, file: groups[index] ?? one.file })))
  const { probes, pairs } = questions
  const language = [...new Set(probes.map(({ script }) => script))].flatMap((script) =>
    languagePairs[script].map(([one, other]): Pair => ({ script, one, other })),
  )
  const texts = [
    ...probes.map(({ text }) => text),
    ...[...pairs, ...language].flatMap(({ one, other }) => [one, other]),
  ]
  return { ...questions, groups, language, texts: [...new Set(texts)] }
}

function parted(text: string): { heading: string; body: string } {
  const at = text.indexOf('\n')
  return at < 0 ? { heading: '', body: text } : { heading: text.slice(0, at), body: text.slice(at + 1) }
}

/** Files, or sections where there is but a file or two, or else each passage for itself. */
function groupsOf(passages: readonly SampledPassage[]): string[] {
  const files = passages.map(({ file }) => file)
  const sections = passages.map(({ file, heading }) => `${file}\n${heading}`)
  const isEnough = (groups: readonly string[]) => new Set(groups).size > 2
  return isEnough(files) ? files : isEnough(sections) ? sections : passages.map((_, index) => String(index))
}

/** Of each script. */
const maxProbes = 64
const maxPairs = 48
/** Where so many passages have a rare word of their own, others are not asked about: notes after one pattern answer each other's questions. */
const enoughOwn = 3

/** The script that most of a text is written in. A CJK character says as much as some letters. */
export function scriptOf(text: string): Script {
  let latin = 0
  let cjk = 0
  let other = 0
  for (const letter of text) {
    if (/[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]/.test(letter)) cjk += 1
    else if (/\p{Script=Latin}/u.test(letter)) latin += 1
    else if (/\p{L}/u.test(letter)) other += 1
  }
  if (cjk > 0 && 2 * cjk >= Math.max(latin, other)) return 'cjk'
  return other > latin ? 'other' : 'latin'
}

/** @param passages in the order of their hashes */
export function pseudoQuestions(passages: readonly SampledPassage[]): PseudoQuestions {
  const words = passages.map(({ body }) => contentWords(body))
  const counts = new Map<string, number>()
  for (const own of words) for (const word of own.keys()) counts.set(word, (counts.get(word) ?? 0) + 1)
  const rarity = (word: string) => counts.get(word) ?? 0
  const isOwn = ownWords(passages, words)
  const probes: Probe[] = []
  const pairs: Pair[] = []
  const room = { probes: new Map<Script, number>(), pairs: new Map<Script, number>() }
  const take = (used: Map<Script, number>, script: Script, most: number) => {
    const count = used.get(script) ?? 0
    if (count < most) used.set(script, count + 1)
    return count < most
  }
  const turns = inTurns(passages).map(([index, passage]) => {
    const rare = [...(words[index] ?? [])]
      .sort(([one], [other]) => rarity(one) - rarity(other) || (one < other ? -1 : 1))
      .slice(0, 2)
    return {
      passage,
      script: scriptOf(passage.body),
      rare,
      isOwn: rare[0] !== undefined && rare.length === 2 && isOwn(rare[0][0]),
    }
  })
  const hasOwn = new Set(
    scripts.filter((script) => turns.filter((one) => one.script === script && one.isOwn).length >= enoughOwn),
  )
  for (const { passage, script, rare, isOwn: isItsOwn } of turns) {
    const { file, heading, body, next } = passage
    if (rare.length === 2 && (isItsOwn || !hasOwn.has(script)) && take(room.probes, script, maxProbes)) {
      const named = rare.map(([, written]) => written)
      probes.push({ script, file, text: asked(named, script) })
    }
    const partner =
      next !== undefined && scriptOf(next) === script
        ? { one: body, other: next }
        : contentWords(heading).size > 1 && scriptOf(heading) === script
          ? { one: heading, other: body }
          : undefined
    if (partner && take(room.pairs, script, maxPairs)) pairs.push({ script, ...partner })
  }
  return { probes, pairs }
}

/** Whether a word stands in no file but one: what asks for others is answered elsewhere, too. */
function ownWords(
  passages: readonly SampledPassage[],
  words: readonly ReadonlyMap<string, string>[],
): (word: string) => boolean {
  const owners = new Map<string, string | undefined>()
  for (const [index, own] of words.entries()) {
    const file = passages[index]?.file
    for (const word of own.keys()) owners.set(word, !owners.has(word) || owners.get(word) === file ? file : undefined)
  }
  return (word) => owners.get(word) !== undefined
}

/** The first of each file, then the second of each, and so on; each with its place among all. */
function inTurns(passages: readonly SampledPassage[]): (readonly [number, SampledPassage])[] {
  const met = new Map<string, number>()
  return passages
    .map((passage, index) => {
      const turn = met.get(passage.file) ?? 0
      met.set(passage.file, turn + 1)
      return { turn, index, passage }
    })
    .sort((one, other) => one.turn - other.turn || one.index - other.index)
    .map(({ index, passage }) => [index, passage] as const)
}

/**
 * The first of those of a file that say the same with other numbers, as lines of a table or a log of a machine do: a
 * thousand of them tell no more of a memory than one.
 */
export function distinct<T extends { readonly file: string; readonly text: string }>(passages: readonly T[]): T[] {
  const met = new Set<string>()
  return passages.filter(({ file, text }) => {
    const shape = `${file}\n${text.replaceAll(/(?<!\p{L})\p{N}+(?!\p{L})/gu, '0')}`
    const isNew = !met.has(shape)
    met.add(shape)
    return isNew
  })
}

/** Long enough to be near to other talk for its form, as real questions are. */
function asked([one = '', other = '']: readonly string[], script: Script): string {
  if (script === 'latin') return `What does she like about ${one} and ${other}?`
  return script === 'cjk' ? `她喜欢${one}和${other}的什么？` : `${one}, ${other}?`
}

const wordsOf = segmenter(undefined, 'word')

/** Words that carry something, as they stand, by their folded form. */
function contentWords(text: string): Map<string, string> {
  const found = new Map<string, string>()
  for (const { segment, isWordLike } of wordsOf.segment(text)) {
    const isCjk = /^[\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}]/u.test(segment)
    if (isWordLike !== true || [...segment].length < (isCjk ? 2 : 3) || !/\p{L}/u.test(segment)) continue
    const folded = fold(segment)
    if ((isCjk ? roleOfCjk(folded) : roleOfStem(stem(folded))) === 'word') found.set(folded, segment)
  }
  return found
}
