/** Where notes speak of another one by its name without linking to it. */
import type { Mention } from '#shared/contract/index.ts'
import { baseOf, stemOf } from '#shared/markdown/links/resolve-link.ts'
import { canStandBeside, notProse } from '#shared/markdown/links/prose.ts'
import { inBatches } from '#platform'
import type { LinkIndex } from './link-index.ts'
import { shownLine } from './link-lists.ts'

const maxMentions = 200
/** Counted, but not listed. */
const maxCounted = 10_000
const readAtOnce = 64

export async function mentionsOf(
  index: LinkIndex,
  path: string,
  signal?: AbortSignal,
): Promise<{ mentions: Mention[]; count: number }> {
  const own = index.notes.get(path)
  const finder = finderOf([stemOf(baseOf(path)), ...(own?.names ?? [])])
  const found: Mention[] = []
  let count = 0
  if (!finder) return { mentions: found, count }
  const others = [...index.notes.keys()].filter((other) => other !== path)
  await inBatches(
    others,
    readAtOnce,
    async (other) => {
      const text = count < maxCounted ? (await index.text(other))?.text : undefined
      if (text === undefined || text.search(finder) < 0) return
      for (const mention of mentionsIn(other, text, finder)) {
        count += 1
        if (found.length < maxMentions) found.push(mention)
      }
    },
    signal,
  )
  return { mentions: found, count }
}

/** Names that are too short stand in every text. */
function isTelling(name: string): boolean {
  return name.length >= 3 || /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]{2}$/u.test(name)
}

function finderOf(names: readonly string[]): RegExp | undefined {
  const telling = [...new Set(names)].filter(isTelling).toSorted((one, other) => other.length - one.length)
  if (telling.length === 0) return undefined
  const patterns = telling.map((name) => {
    const literal = name.replaceAll(/[.*+?^${}()|[\]\\/]/g, '\\$&')
    // Scripts that part words by no spaces have no borders of words.
    const before = /^[\p{L}\p{N}]/u.test(name) && !isUnspaced(name.at(0)) ? '(?<![\\p{L}\\p{N}_])' : ''
    const after = /[\p{L}\p{N}]$/u.test(name) && !isUnspaced(name.at(-1)) ? '(?![\\p{L}\\p{N}_])' : ''
    return before + literal + after
  })
  return new RegExp(patterns.join('|'), 'giu')
}

function isUnspaced(character = ''): boolean {
  return /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]/u.test(
    character,
  )
}

function mentionsIn(path: string, text: string, finder: RegExp): Mention[] {
  const taken = notProse(text)
  let next = 0
  const mentions: Mention[] = []
  let line = 1
  let start = 0
  for (const { index: at, 0: words } of text.matchAll(finder)) {
    while ((taken[next]?.to ?? Infinity) <= at) next += 1
    if ((taken[next]?.from ?? Infinity) < at + words.length || !canStandBeside(text, at, at + words.length)) continue
    for (let end = text.indexOf('\n', start); end >= 0 && end < at; end = text.indexOf('\n', start)) {
      start = end + 1
      line += 1
    }
    const end = text.indexOf('\n', at)
    const place = { from: at - start, to: at - start + words.length }
    const shown = shownAround(text.slice(start, end < 0 ? text.length : end), place)
    mentions.push({ path, line, ...shown, ...place, words })
  }
  return mentions
}

/** Before the words, so that they stand in the first of the lines that a narrow list shows. */
const maxBefore = 40

/** A line, or what of it stands around the words: mentions in one line do not look the same. */
function shownAround(line: string, { from, to }: { readonly from: number; readonly to: number }) {
  const first = line.length - line.trimStart().length
  const cut = from - first <= maxBefore ? first : wholeAt(line, from - maxBefore)
  const before = `${cut > first ? '…' : ''}${line.slice(cut, from)}`.toWellFormed()
  return { text: before + shownLine(`${line.slice(from, to)}${line.slice(to).trimEnd()}`), at: before.length }
}

/** Not between the halves of one character. */
function wholeAt(line: string, at: number): number {
  return /[\uDC00-\uDFFF]/.test(line[at] ?? '') ? at + 1 : at
}
