/**
 * Units of a review: a pair of lines, or one log line. The key of a unit is a hash of its texts and the prompt, so a
 * line that moves costs no second request.
 */
import { hash } from 'node:crypto'
import { estimateTokens } from '#shared/util/tokens.ts'
import { linesByWord } from '../similarity/line-features.ts'
import type { ReviewLine, ReviewInput } from './review-input.ts'

export type ReviewKind = 'conflicts' | 'promote'

export interface Unit {
  readonly key: string
  readonly lines: readonly ReviewLine[]
}

export interface Batch {
  readonly kind: ReviewKind
  readonly units: readonly Unit[]
  readonly content: string
}

export interface ReviewPrompts {
  readonly conflicts: (values: { readonly lines: string; readonly pairs: string }) => string
  readonly promote: (values: { readonly lines: string; readonly memory: string }) => string
}

/** Limits per request; with more, models overlook items. */
const maxPairs = 60
const maxLines = 120
const maxNearLines = 40
const maxTokens = 6000

/** Builds the requests for all units that are not judged. @param contextWindow of the model, in tokens */
export function batchesOf(
  reviewInput: ReviewInput,
  prompts: ReviewPrompts,
  isJudged: (key: string) => boolean,
  contextWindow: number,
): Batch[] {
  const tokenLimit = Math.min(maxTokens, Math.floor(contextWindow / 3))
  return [
    ...conflictBatches(reviewInput, prompts, isJudged, tokenLimit),
    ...promoteBatches(reviewInput, prompts, isJudged, tokenLimit),
  ]
}

function conflictBatches(
  { lines, pairs }: ReviewInput,
  prompts: ReviewPrompts,
  isJudged: (key: string) => boolean,
  tokenLimit: number,
): Batch[] {
  const template = prompts.conflicts({ lines: '', pairs: '' })
  const pairedLines = pairs.map((indexes) => indexes.flatMap((index) => lines[index] ?? []))
  const units = unjudgedUnits('conflicts', template, pairedLines, isJudged)
  return splitIntoBatches(units, maxPairs, tokenLimit).map((chunk) => {
    const numberer = new LineNumberer()
    const numberedPairs = chunk.map(({ lines }) => lines.map((line) => numberer.numberOf(line)).join(' and '))
    return {
      kind: 'conflicts',
      units: chunk,
      content: prompts.conflicts({ lines: numberer.text, pairs: `${numberedPairs.join('; ')}.` }),
    }
  })
}

function promoteBatches(
  { lines, logLines, memoryLines, memorySectionTitles }: ReviewInput,
  prompts: ReviewPrompts,
  isJudged: (key: string) => boolean,
  tokenLimit: number,
): Batch[] {
  const template = prompts.promote({ lines: '', memory: '' })
  const memory = memoryLines.flatMap((index) => lines[index] ?? [])
  const loggedLines = logLines.map((index) => lines.slice(index, index + 1))
  const units = unjudgedUnits('promote', template, loggedLines, isJudged)
  const memoryWords = memory.map((line) => wordsOf(line.text))
  return splitIntoBatches(sortBySimilarity(units), maxLines, tokenLimit).map((chunk) => {
    const numberer = new LineNumberer()
    for (const unit of chunk) for (const line of unit.lines) numberer.numberOf(line)
    const chunkWords = wordsOf(chunk.flatMap(({ lines }) => lines.map(({ text }) => text)).join(' '))
    const nearLines = memory
      .map((line, index) => ({ line, ratio: sharedWordRatio(memoryWords[index] ?? new Set(), chunkWords) }))
      .filter(({ ratio }) => ratio > 0)
      .sort((one, other) => other.ratio - one.ratio)
      .slice(0, maxNearLines)
      .map(({ line }) => line)
    return {
      kind: 'promote',
      units: chunk,
      content: prompts.promote({ lines: numberer.text, memory: memoryText(memorySectionTitles, nearLines) }),
    }
  })
}

function memoryText(sections: readonly string[], lines: readonly ReviewLine[]): string {
  const itemsOf = (section: string) => lines.filter(({ heading }) => heading === section).map(({ text }) => `- ${text}`)
  const otherLines = lines.filter(({ heading }) => heading === undefined || !sections.includes(heading))
  return [
    ...sections.flatMap((section) => [`## ${section}`, ...itemsOf(section)]),
    ...otherLines.map(({ text }) => `- ${text}`),
  ].join('\n')
}

/** Sorts similar units next to each other, so that they are in the same request. */
function sortBySimilarity(units: readonly Unit[]): Unit[] {
  const words = units.map(({ lines: [line] }) => wordsOf(line?.text ?? ''))
  const byWord = linesByWord(words)
  const taken = new Set<number>()
  const ordered: Unit[] = []
  const take = (index: number) => {
    const unit = units[index]
    if (!unit || taken.has(index)) return
    taken.add(index)
    ordered.push(unit)
  }
  for (const [index, unitWords] of words.entries()) {
    if (taken.has(index)) continue
    take(index)
    const counts = new Map<number, number>()
    for (const word of unitWords) {
      const lineIndexes = byWord.get(word) ?? []
      if (lineIndexes.length > maxLinesPerWord) continue
      for (const other of lineIndexes) if (!taken.has(other)) counts.set(other, (counts.get(other) ?? 0) + 1)
    }
    const nearest = [...counts].filter(([, count]) => count >= 2).sort((one, other) => other[1] - one[1])
    for (const [other] of nearest.slice(0, 3)) take(other)
  }
  return ordered
}

const maxLinesPerWord = 100

function wordsOf(text: string): Set<string> {
  const words = new Set<string>()
  for (const [word] of text.toLowerCase().matchAll(/[\p{L}\p{N}]{3,}/gu)) {
    if (!/\p{Script=Han}/u.test(word)) words.add(word)
    else for (let at = 0; at + 2 <= word.length; at += 1) words.add(word.slice(at, at + 2))
  }
  return words
}

function sharedWordRatio(words: ReadonlySet<string>, others: ReadonlySet<string>): number {
  const shared = words.intersection(others).size
  return shared < 2 ? 0 : shared / words.size
}

/** Numbers the lines of a request from 1; a repeated line keeps its number. */
class LineNumberer {
  readonly #numbers = new Map<string, number>()
  readonly #lines: string[] = []

  numberOf(line: ReviewLine): number {
    const place = `${line.path}:${line.line}`
    const existing = this.#numbers.get(place)
    if (existing !== undefined) return existing
    const number = this.#lines.length + 1
    this.#numbers.set(place, number)
    this.#lines.push(formatLine(line, number))
    return number
  }

  get text(): string {
    return this.#lines.join('\n')
  }
}

function formatLine({ day, heading, text }: ReviewLine, number: number): string {
  const labels = [day, heading?.slice(0, 60)].filter((label) => label !== undefined && label !== '')
  return `${number}${labels.length > 0 ? ` [${labels.join(', ')}]` : ''} ${text}`
}

function splitIntoBatches(units: readonly Unit[], maxUnits: number, tokenLimit: number): Unit[][] {
  const chunks: Unit[][] = []
  let chunkTokens = 0
  for (const unit of units) {
    const unitTokens = unit.lines.reduce((sum, line) => sum + estimateTokens(formatLine(line, 100)) + 4, 0)
    const last = chunks.at(-1)
    if (last && last.length < maxUnits && chunkTokens + unitTokens <= tokenLimit) {
      last.push(unit)
      chunkTokens += unitTokens
    } else {
      chunks.push([unit])
      chunkTokens = unitTokens
    }
  }
  return chunks
}

function unjudgedUnits(
  kind: ReviewKind,
  template: string,
  groups: readonly (readonly ReviewLine[])[],
  isJudged: (key: string) => boolean,
): Unit[] {
  const units = new Map<string, Unit>()
  for (const lines of groups) {
    const texts = lines.map(({ text }) => text).sort()
    const key = hash('sha256', JSON.stringify([kind, template, texts])).slice(0, 32)
    if (!isJudged(key)) units.set(key, { key, lines })
  }
  return [...units.values()]
}
