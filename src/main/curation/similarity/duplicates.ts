/**
 * Finds duplicate lines: near-duplicates by shared words and shingles, and paraphrases by shared rare words and word
 * vectors. Lines that differ in a name, number, date or negation state different facts and are no duplicates.
 */
import { dot } from '#search'
import { type TextVectors, isValue, linesByWord, type LineFeatures, featuresOf } from './line-features.ts'
import { fold, toPlainText } from '#search/text'
import { withoutMarks } from '#shared/markdown/visibility.ts'
import { type Finding, evidenceOf, lineFinding } from '../suggestions/suggestion.ts'
import { statementsOf, type Note, type Statement } from '../rules/note-rules.ts'

/** Words that occur in more lines than this produce no candidates: such lines share a topic, but not a fact. */
const maxLinesPerWord = 60
/** Minimum Jaccard similarity of the shingles of near-duplicates. */
const minShingleSimilarity = 0.7
/** Minimum cosine of two lines, and of two words that replace each other. */
const minLineCosine = 0.72
const minWordCosine = { other: 0.42, cjk: 0.7 }
/** Minimum cosine of words if the lines share at least `minSharedFacts` names and figures. */
const minCosineWithSharedFacts = 0.2
const minSharedFacts = 3
/** Words above this cosine are synonyms, even after the same word. CJK words of one topic have similar vectors. */
const synonymCosine = { other: 0.65, cjk: 0.8 }
const maxSynonymShare = 0.5

export interface Line {
  readonly text: string
  readonly features: LineFeatures
}

/** @param lines those that should stay first @returns each removable line once; `similarity`: 0 to 1 */
export async function findDuplicates<T extends Line>(
  lines: readonly T[],
  model: TextVectors | undefined,
  isRemovable: (line: T) => boolean,
) {
  const vectors = await model?.vectors(lines.map(({ text }) => text))
  const vectorByWord = model && (await wordVectors(lines, model))
  const candidatesOf = candidateIndex(lines, model !== undefined)
  const duplicates: { original: T; duplicate: T; similarity: number }[] = []
  const removed = new Set<number>()
  for (const [index, original] of lines.entries()) {
    if (removed.has(index)) continue
    for (const candidate of candidatesOf(index)) {
      const duplicate = lines[candidate]
      if (!duplicate || removed.has(candidate) || !isRemovable(duplicate)) continue
      const [a, b] = [vectors?.[index], vectors?.[candidate]]
      const lineCosine = a && b ? dot(a, b) : 0
      const isParaphrase = lineCosine >= minLineCosine
      if (!coversContent(original.features, duplicate.features, isParaphrase ? vectorByWord : undefined)) continue
      const shared = shingleSimilarity(original.text, duplicate.text)
      if (!isParaphrase && shared < minShingleSimilarity) continue
      removed.add(candidate)
      duplicates.push({ original, duplicate, similarity: shared < minShingleSimilarity ? lineCosine : shared })
    }
  }
  return duplicates
}

/** Returns later lines that contain the rarest word of a line or, for paraphrases, share a rare word with it. */
function candidateIndex(lines: readonly Line[], hasParaphrases: boolean): (index: number) => ReadonlySet<number> {
  const byWord = linesByWord(lines.map(({ features }) => features.words.keys()))
  const countOf = (word: string) => byWord.get(word)?.length ?? 0
  const wordsOf = (index: number) => [...(lines[index]?.features.words.keys() ?? [])]
  const byRarestWord = Map.groupBy(
    lines.keys(),
    (index) => wordsOf(index).sort((one, other) => countOf(one) - countOf(other))[0],
  )
  return (index) => {
    const candidates = new Set<number>()
    for (const word of wordsOf(index)) {
      const others = hasParaphrases && countOf(word) <= maxLinesPerWord ? byWord : byRarestWord
      for (const other of others.get(word) ?? []) if (other > index) candidates.add(other)
    }
    return candidates
  }
}

/** Returns true if the original states everything that the duplicate states, and adds no other fact. */
function coversContent(
  original: LineFeatures,
  duplicate: LineFeatures,
  vectors: ReadonlyMap<string, Float32Array> | undefined,
): boolean {
  if (original.isNegated !== duplicate.isNegated) return false
  for (const value of duplicate.distinctive) if (!original.distinctive.has(value)) return false
  const missing = [...duplicate.words.keys()].filter((word) => !original.words.has(word))
  const extra = [...original.words.keys()].filter((word) => !duplicate.words.has(word))
  if (missing.length === 0) {
    // Extra words are fine, but an extra name or value makes it another fact.
    const addsFact = extra.some((word) => original.distinctive.has(word) || isValue(original.words.get(word) ?? ''))
    return !addsFact && !hasExchangedFacts(original, duplicate)
  }
  if (!vectors || missing.length > duplicate.words.size * maxSynonymShare) return false
  if (extra.some((word) => original.distinctive.has(word))) return false
  const sharesFacts =
    original.distinctive.size >= minSharedFacts && original.numberCount > 0 && ![...missing, ...extra].some(isCjk)
  const unmatched = new Set(extra)
  return missing.every((word) => {
    const wordVector = vectors.get(word)
    const script = isCjk(word) ? 'cjk' : 'other'
    let bestWord: string | undefined
    let bestCosine = sharesFacts ? minCosineWithSharedFacts : minWordCosine[script]
    for (const other of unmatched) {
      const vector = vectors.get(other)
      const wordCosine = wordVector && vector ? dot(wordVector, vector) : 0
      // Different words after the same word are usually different answers to one question.
      const isOtherAnswer =
        wordCosine < synonymCosine[script] && wordBefore(original, other) === wordBefore(duplicate, word)
      if (wordCosine >= bestCosine && !isOtherAnswer) [bestWord, bestCosine] = [other, wordCosine]
    }
    if (bestWord === undefined) return false
    unmatched.delete(bestWord)
    return true
  })
}

/** Same words with exchanged names or figures: "from 9 to 5" and "from 5 to 9". */
function hasExchangedFacts(original: LineFeatures, duplicate: LineFeatures): boolean {
  const otherWords = ({ words, distinctive }: LineFeatures) =>
    [...words.keys()].map((word) => (distinctive.has(word) ? '' : word)).join(' ')
  const allWords = ({ words }: LineFeatures) => [...words.keys()].join(' ')
  return otherWords(original) === otherWords(duplicate) && allWords(original) !== allWords(duplicate)
}

function wordBefore({ words }: LineFeatures, word: string): string | undefined {
  const all = [...words.keys()]
  return all[all.indexOf(word) - 1]
}

async function wordVectors(lines: readonly Line[], model: TextVectors): Promise<Map<string, Float32Array>> {
  const wordByTerm = new Map(lines.flatMap(({ features }) => [...features.words]))
  const vectors = await model.vectors([...wordByTerm.values()])
  return new Map([...wordByTerm.keys()].map((term, index) => [term, vectors[index] ?? new Float32Array()]))
}

function isCjk(word: string): boolean {
  return /\p{Script=Han}/u.test(word)
}

/** Shingle length in characters; CJK text carries more meaning per character. */
const shingleSize = { other: 4, cjk: 2 }
/** Minimum length in characters after normalisation; shorter lines are similar by chance. */
const minCharacters = { other: 20, cjk: 8 }

/** Returns the Jaccard similarity of character shingles, 0 to 1; 0 for short lines. */
function shingleSimilarity(one: string, other: string): number {
  const [first, second] = [normalize(one), normalize(other)]
  const script = scriptOf(first)
  if (Math.min(first.length, second.length) < minCharacters[script]) return 0
  if (first === second) return 1
  const [shingles, others] = [shinglesOf(first, shingleSize[script]), shinglesOf(second, shingleSize[script])]
  return shingles.intersection(others).size / shingles.union(others).size
}

function normalize(line: string): string {
  return line
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
}

function scriptOf(text: string): 'other' | 'cjk' {
  const cjk = text.match(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/gu)?.length ?? 0
  return cjk > text.length / 3 ? 'cjk' : 'other'
}

function shinglesOf(text: string, size: number): Set<string> {
  return new Set(Array.from({ length: text.length - size + 1 }, (_, from) => text.slice(from, from + size)))
}

interface StatementLine extends Line {
  readonly statement: Statement
}

const minStatementWords = 3

/** Proposes to remove duplicate lines. @param model undefined compares words only */
export async function findDuplicateLines(notes: readonly Note[], model: TextVectors | undefined): Promise<Finding[]> {
  const lines = linesOf(notes.filter(({ kind }) => kind !== 'project').flatMap(statementsOf))
  // A parent line must stay for its children.
  const pairs = await findDuplicates(lines.sort(compare), model, ({ statement }) => !statement.isParent)
  return pairs.map(({ original: { statement: original }, duplicate: { statement: duplicate }, similarity }) => {
    const rule = duplicate.note.kind === 'log' && original.note.kind === 'memory' ? 'logged' : 'duplicate'
    const finding = lineFinding(rule, { ...duplicate, path: duplicate.note.path }, [], { likeness: similarity })
    return { ...finding, evidence: [...finding.evidence, evidenceOf(original.note.path, original.line, original.raw)] }
  })
}

/** Returns the statement that a saved one repeats; undefined if there is none. @param model as `findDuplicateLines` */
export async function findOriginal(saved: Statement, others: readonly Statement[], model: TextVectors | undefined) {
  const words = [...(featuresOf([withoutMarks(saved.text)])[0]?.words.values() ?? [])].map((word) =>
    fold(word).slice(0, 4),
  )
  const isAlike = ({ text }: Statement) => {
    const folded = fold(text)
    return words.filter((word) => folded.includes(word)).length >= words.length / 2
  }
  const alike = others.filter(isAlike)
  const [pair] = await findDuplicates(linesOf([...alike, saved]), model, ({ statement }) => statement === saved)
  // Lines of few words are compared as a whole.
  return pair?.original.statement ?? alike.find(({ text }) => withoutMarks(text) === withoutMarks(saved.text))
}

function linesOf(statements: readonly Statement[]): StatementLine[] {
  // The name and the day of a source mark are no facts of the line.
  const texts = statements.map(({ text }) => withoutMarks(text))
  const features = featuresOf(texts)
  return statements.flatMap((statement, index): StatementLine | [] => {
    const lineFeatures = features[index]
    const hasContent = lineFeatures !== undefined && lineFeatures.words.size >= minStatementWords
    return hasContent ? { statement, text: toPlainText(texts[index] ?? ''), features: lineFeatures } : []
  })
}

const ranks = { memory: 0, project: 1, note: 2, log: 3 } as const

/** Negative if the first line is the one to keep. */
function compare(
  { statement: one, features }: StatementLine,
  { statement: other, features: otherFeatures }: StatementLine,
): number {
  return (
    ranks[one.note.kind] - ranks[other.note.kind] ||
    Number(other.isParent) - Number(one.isParent) ||
    otherFeatures.words.size - features.words.size ||
    one.note.path.localeCompare(other.note.path) ||
    one.line - other.line
  )
}
