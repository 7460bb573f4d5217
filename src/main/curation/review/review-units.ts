import { hash } from 'node:crypto'
import { estimateTokens } from '#shared/util/tokens.ts'
import type { ReviewLine, ReviewInput } from './review-input.ts'

type ReviewKind = 'conflicts' | 'promote'

export interface ReviewUnit {
  readonly key: string
  readonly lines: readonly ReviewLine[]
}

export interface ReviewBatch {
  readonly kind: ReviewKind
  readonly units: readonly ReviewUnit[]
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
  { lines, pairs, logLines, memoryLines, memorySectionTitles }: ReviewInput,
  prompts: ReviewPrompts,
  isJudged: (key: string) => boolean,
  contextWindow: number,
): ReviewBatch[] {
  const tokenLimit = Math.min(maxTokens, Math.floor(contextWindow / 3))
  const linesAt = (indexes: readonly number[]) => indexes.flatMap((index) => lines[index] ?? [])
  const conflictTemplate = prompts.conflicts({ lines: '', pairs: '' })
  const conflictUnits = unjudgedUnits('conflicts', conflictTemplate, pairs.map(linesAt), isJudged)
  const conflictBatches = splitIntoBatches(conflictUnits, maxPairs, tokenLimit).map((units): ReviewBatch => {
    const numbered = linesOf(units)
    const numberedPairs = units.map((unit) => unit.lines.map((line) => numbered.indexOf(line) + 1).join(' and '))
    const content = prompts.conflicts({ lines: formatLines(numbered), pairs: `${numberedPairs.join('; ')}.` })
    return { kind: 'conflicts', units, content }
  })
  const promoteTemplate = prompts.promote({ lines: '', memory: '' })
  const loggedLines = logLines.map((index) => linesAt([index]))
  const promoteUnits = unjudgedUnits('promote', promoteTemplate, loggedLines, isJudged)
  const memory = linesAt(memoryLines).map((line) => ({ line, words: wordsOf(line.text) }))
  const promoteBatches = splitIntoBatches(promoteUnits, maxLines, tokenLimit).map((units): ReviewBatch => {
    const numbered = linesOf(units)
    const words = wordsOf(numbered.map(({ text }) => text).join(' '))
    const nearLines = memory
      .map(({ line, words: known }) => ({ line, size: known.size, shared: known.intersection(words).size }))
      .filter(({ shared }) => shared >= 2)
      .sort((one, other) => other.shared / other.size - one.shared / one.size)
      .slice(0, maxNearLines)
      .map(({ line }) => line)
    const memoryAround = memoryText(memorySectionTitles, nearLines)
    return { kind: 'promote', units, content: prompts.promote({ lines: formatLines(numbered), memory: memoryAround }) }
  })
  return [...conflictBatches, ...promoteBatches]
}

function linesOf(units: readonly ReviewUnit[]): ReviewLine[] {
  return [...new Set(units.flatMap(({ lines }) => lines))]
}

function memoryText(sections: readonly string[], lines: readonly ReviewLine[]): string {
  const itemsOf = (section: string) => lines.filter(({ heading }) => heading === section).map(({ text }) => `- ${text}`)
  const otherLines = lines.filter(({ heading }) => heading === undefined || !sections.includes(heading))
  return [
    ...sections.flatMap((section) => [`## ${section}`, ...itemsOf(section)]),
    ...otherLines.map(({ text }) => `- ${text}`),
  ].join('\n')
}

function wordsOf(text: string): Set<string> {
  const words = new Set<string>()
  for (const [word] of text.toLowerCase().matchAll(/[\p{L}\p{N}]{3,}/gu)) {
    if (!/\p{Script=Han}/u.test(word)) words.add(word)
    else for (let at = 0; at + 2 <= word.length; at += 1) words.add(word.slice(at, at + 2))
  }
  return words
}

function formatLines(lines: readonly ReviewLine[]): string {
  return lines.map((line, index) => formatLine(line, index + 1)).join('\n')
}

function formatLine({ day, heading, text }: ReviewLine, number: number): string {
  const labels = [day, heading?.slice(0, 60)].filter((label) => label !== undefined && label !== '')
  return `${number}${labels.length > 0 ? ` [${labels.join(', ')}]` : ''} ${text}`
}

function splitIntoBatches(units: readonly ReviewUnit[], maxUnits: number, tokenLimit: number): ReviewUnit[][] {
  const chunks: ReviewUnit[][] = []
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

/** The key of a unit is a hash of its texts and the prompt, so a line that moves costs no second request. */
function unjudgedUnits(
  kind: ReviewKind,
  template: string,
  groups: readonly (readonly ReviewLine[])[],
  isJudged: (key: string) => boolean,
): ReviewUnit[] {
  const units = new Map<string, ReviewUnit>()
  for (const lines of groups) {
    const texts = lines.map(({ text }) => text).sort()
    const key = hash('sha256', JSON.stringify([kind, template, texts])).slice(0, 32)
    if (!isJudged(key)) units.set(key, { key, lines })
  }
  return [...units.values()]
}
