/**
 * A note as a remote model works on it (M64): it rewrites the text that it is shown, and what stands there for words that
 * stay on this machine is put back afterwards. Whether a change can be made is decided by the shown text alone, so that no
 * answer depends on words that it does not see. Pure.
 */
import { redactionPlaceholder, visibilityOf } from '#shared/markdown/visibility.ts'
import type { KnownWords, LocalNet, LocalNote } from '#workspace/privacy'

interface VeilOptions {
  readonly note: LocalNote
  /** The text with its local lines held back by their place. */
  readonly byPlace: string
  readonly net: LocalNet
  readonly isNote: boolean
  readonly known: KnownWords
}

/** What one placeholder of the shown text stands for. */
interface Held {
  readonly original: string
  /** It is a local line of the note, which has to stay one. */
  readonly isLine: boolean
}

export interface Veiled {
  readonly shown: string
  /** The whole text that a rewritten shown one means; undefined where it takes away, moves or unlocks what is held back. */
  unveil(after: string): string | undefined
}

export function veil(text: string, { note, byPlace, net, isNote, known }: VeilOptions): Veiled {
  const [shown, held] = hidden(text, byPlace, net, isNote, known)
  if (held.every(({ original }) => original === redactionPlaceholder)) return { shown, unveil: (after) => after }
  return {
    shown,
    unveil(after) {
      const rest = addedTo(shown, after)
      if (rest !== undefined) {
        const whole = withoutEnd(text) + rest
        return note.isWhole || areLocal(whole, linesHeld(shown, held)) ? whole : undefined
      }
      return note.isWhole ? undefined : putBack(after, held)
    },
  }
}

/** The text as it is shown, and what its placeholders stand for, in order; one may be the note's own words. */
function hidden(
  text: string,
  byPlace: string,
  net: LocalNet,
  isNote: boolean,
  known: KnownWords,
): readonly [string, readonly Held[]] {
  const stretches = net.stretches(byPlace, { isNote, known })
  const originals = text.split(/(\r\n|\n|\r)/)
  const held: Held[] = []
  let shown = ''
  let at = 0
  for (const [number, line] of byPlace.split(/(\r\n|\n|\r)/).entries()) {
    const original = originals[number] ?? ''
    if (line !== original) {
      held.push({ original, isLine: true })
      shown += line
    } else {
      for (const piece of pieces(line, at, stretches)) {
        held.push(...(piece.isHeld ? [{ original: piece.text, isLine: false }] : own(piece.text)))
        shown += piece.isHeld ? redactionPlaceholder : piece.text
      }
    }
    at += line.length
  }
  return [shown, held]
}

/** A line in what is held back of it and what is not; what goes over several lines is held back in each. */
function pieces(line: string, from: number, stretches: readonly { readonly start: number; readonly end: number }[]) {
  const found: { readonly text: string; readonly isHeld: boolean }[] = []
  let done = 0
  for (const { start, end } of stretches) {
    const [first, last] = [Math.max(start - from, done), Math.min(end - from, line.length)]
    if (first >= last || line.slice(first, last).trim() === '') continue
    found.push({ text: line.slice(done, first), isHeld: false }, { text: line.slice(first, last), isHeld: true })
    done = last
  }
  found.push({ text: line.slice(done), isHeld: false })
  return found
}

function own(text: string): Held[] {
  return text
    .split(redactionPlaceholder)
    .slice(1)
    .map(() => ({ original: redactionPlaceholder, isLine: false }))
}

function withoutEnd(text: string): string {
  return text.replace(/[\r\n]+$/, '')
}

/** What was added to the end of a text; undefined where anything else was done. */
function addedTo(shown: string, after: string): string | undefined {
  const before = withoutEnd(shown)
  if (!after.startsWith(before)) return undefined
  const rest = after.slice(before.length)
  return rest === '' || /^[\r\n]/.test(rest) ? rest : undefined
}

/** By 0-based line, where local lines stand in a shown text. */
function linesHeld(shown: string, held: readonly Held[]): number[] {
  let line = 0
  return shown.split(redactionPlaceholder).flatMap((piece, at) => {
    line += breaksIn(piece)
    return held[at]?.isLine ? [line] : []
  })
}

function putBack(after: string, held: readonly Held[]): string | undefined {
  const parts = after.split(redactionPlaceholder)
  if (parts.length - 1 !== held.length) return undefined
  let text = parts[0] ?? ''
  const local: number[] = []
  for (const [at, { original, isLine }] of held.entries()) {
    const next = parts[at + 1] ?? ''
    if (isLine) {
      const standsAlone =
        /(?:^|[\r\n])$/.test(text) && /^(?:[\r\n]|$)/.test(next) && (next !== '' || at === held.length - 1)
      if (!standsAlone) return undefined
      local.push(breaksIn(text))
    }
    text += original + next
  }
  return areLocal(text, local) ? text : undefined
}

function areLocal(text: string, at: readonly number[]): boolean {
  const { isWhole, lines } = visibilityOf(text)
  return isWhole || at.every((line) => lines.has(line))
}

function breaksIn(text: string): number {
  return text.match(/\r\n|\n|\r/g)?.length ?? 0
}
