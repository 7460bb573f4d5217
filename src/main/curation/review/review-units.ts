/**
 * Units of a review: a pair of lines, or one log line. The key of a unit is a hash of its texts and the prompt, so a
 * line that moves costs no second request.
 */
import { createHash } from 'node:crypto'
import { estimateTokens } from '#shared/util/tokens.ts'
import type { ReviewLine, Candidates } from './candidates.ts'

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
const maxNear = 40
const maxTokens = 6000

/** Builds the requests for all units that are not judged. @param window context window of the model, tokens */
export function batchesOf(
  candidates: Candidates,
  prompts: ReviewPrompts,
  isJudged: (key: string) => boolean,
  window: number,
): Batch[] {
  const limit = Math.min(maxTokens, Math.floor(window / 3))
  return [
    ...conflictBatches(candidates, prompts, isJudged, limit),
    ...promoteBatches(candidates, prompts, isJudged, limit),
  ]
}

function conflictBatches(
  { lines, pairs }: Candidates,
  prompts: ReviewPrompts,
  isJudged: (key: string) => boolean,
  limit: number,
): Batch[] {
  const template = prompts.conflicts({ lines: '', pairs: '' })
  const units = pairs.flatMap(([one, other]): Unit | [] => {
    const [a, b] = [lines[one], lines[other]]
    if (!a || !b) return []
    const key = keyOf('conflicts', template, [a.text, b.text].sort())
    return isJudged(key) ? [] : { key, lines: [a, b] }
  })
  return splitIntoBatches(uniqueUnits(units), maxPairs, limit).map((chunk) => {
    const numbered = new LineNumberer()
    const numbers = chunk.map(({ lines }) => lines.map((line) => numbered.numberOf(line)).join(' and '))
    return {
      kind: 'conflicts',
      units: chunk,
      content: prompts.conflicts({ lines: numbered.text, pairs: `${numbers.join('; ')}.` }),
    }
  })
}

function promoteBatches(
  { lines, logLines, memoryLines, sections }: Candidates,
  prompts: ReviewPrompts,
  isJudged: (key: string) => boolean,
  limit: number,
): Batch[] {
  const template = prompts.promote({ lines: '', memory: '' })
  const memory = memoryLines.flatMap((at) => lines[at] ?? [])
  const units = logLines.flatMap((at): Unit | [] => {
    const line = lines[at]
    if (!line) return []
    const key = keyOf('promote', template, [line.text])
    return isJudged(key) ? [] : { key, lines: [line] }
  })
  const words = memory.map((line) => wordsOf(line.text))
  return splitIntoBatches(sortBySimilarity(uniqueUnits(units)), maxLines, limit).map((chunk) => {
    const numbered = new LineNumberer()
    for (const unit of chunk) for (const line of unit.lines) numbered.numberOf(line)
    const asked = wordsOf(chunk.flatMap(({ lines }) => lines.map(({ text }) => text)).join(' '))
    const near = memory
      .map((line, at) => ({ line, shared: sharedWordRatio(words[at] ?? new Set(), asked) }))
      .filter(({ shared }) => shared > 0)
      .sort((one, other) => other.shared - one.shared)
      .slice(0, maxNear)
      .map(({ line }) => line)
    return {
      kind: 'promote',
      units: chunk,
      content: prompts.promote({ lines: numbered.text, memory: memoryText(sections, near) }),
    }
  })
}

function memoryText(sections: readonly string[], near: readonly ReviewLine[]): string {
  const of = (section: string) => near.filter(({ heading }) => heading === section).map(({ text }) => `- ${text}`)
  const others = near.filter(({ heading }) => heading === undefined || !sections.includes(heading))
  return [
    ...sections.flatMap((section) => [`## ${section}`, ...of(section)]),
    ...others.map(({ text }) => `- ${text}`),
  ].join('\n')
}

function sortBySimilarity(units: readonly Unit[]): Unit[] {
  const words = units.map(({ lines: [line] }) => wordsOf(line?.text ?? ''))
  const byWord = new Map<string, number[]>()
  for (const [at, own] of words.entries())
    for (const word of own) {
      const known = byWord.get(word)
      if (known) known.push(at)
      else byWord.set(word, [at])
    }
  const taken = new Set<number>()
  const ordered: Unit[] = []
  const take = (at: number) => {
    const unit = units[at]
    if (!unit || taken.has(at)) return
    taken.add(at)
    ordered.push(unit)
  }
  for (const [at, own] of words.entries()) {
    if (taken.has(at)) continue
    take(at)
    const shared = new Map<number, number>()
    for (const word of own) {
      const places = byWord.get(word) ?? []
      if (places.length > maxLinesPerWord) continue
      for (const other of places) if (!taken.has(other)) shared.set(other, (shared.get(other) ?? 0) + 1)
    }
    const nearest = [...shared].filter(([, count]) => count >= 2).sort((one, other) => other[1] - one[1])
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

function sharedWordRatio(own: ReadonlySet<string>, asked: ReadonlySet<string>): number {
  let shared = 0
  for (const word of own) if (asked.has(word)) shared += 1
  return shared < 2 ? 0 : shared / own.size
}

/** Numbers the lines of a request from 1; a repeated line keeps its number. */
class LineNumberer {
  readonly #numbers = new Map<string, number>()
  readonly #shown: string[] = []

  numberOf(line: ReviewLine): number {
    const place = `${line.path}:${line.line}`
    const known = this.#numbers.get(place)
    if (known !== undefined) return known
    const number = this.#shown.length + 1
    this.#numbers.set(place, number)
    this.#shown.push(formatLine(line, number))
    return number
  }

  get text(): string {
    return this.#shown.join('\n')
  }
}

function formatLine({ day, heading, text }: ReviewLine, number: number): string {
  const about = [day, heading?.slice(0, 60)].filter((one) => one !== undefined && one !== '')
  return `${number}${about.length > 0 ? ` [${about.join(', ')}]` : ''} ${text}`
}

function splitIntoBatches(units: readonly Unit[], limit: number, tokens: number): Unit[][] {
  const chunks: Unit[][] = []
  let size = 0
  for (const unit of units) {
    const own = unit.lines.reduce((sum, line) => sum + estimateTokens(formatLine(line, 100)) + 4, 0)
    const last = chunks.at(-1)
    if (last && last.length < limit && size + own <= tokens) {
      last.push(unit)
      size += own
    } else {
      chunks.push([unit])
      size = own
    }
  }
  return chunks
}

function uniqueUnits(units: readonly Unit[]): Unit[] {
  return [...new Map(units.map((unit) => [unit.key, unit])).values()]
}

function keyOf(kind: ReviewKind, template: string, texts: readonly string[]): string {
  return createHash('sha256')
    .update(JSON.stringify([kind, template, texts]))
    .digest('hex')
    .slice(0, 32)
}
