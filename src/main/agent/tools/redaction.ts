/**
 * Lets a remote model edit a note with local text: it edits the redacted text, and the placeholders are replaced by the
 * originals afterwards. Only the redacted text decides whether an edit is possible, so no error reveals local text.
 */
import { redactionPlaceholder, visibilityOf } from '#shared/markdown/visibility.ts'
import type { KnownWords, LocalTextMatcher, LocalNote } from '#workspace/privacy'

interface RedactOptions {
  readonly note: LocalNote
  /** The text with its local lines redacted. */
  readonly byPlace: string
  readonly net: LocalTextMatcher
  readonly isNote: boolean
  readonly known: KnownWords
}

/** Original of one placeholder. */
interface Redaction {
  readonly original: string
  /** True if it is a local line of the note, which must stay local. */
  readonly isLine: boolean
}

export interface RedactedText {
  readonly shown: string
  /** Restores the originals; returns undefined if the edit removes, moves or publishes local text. */
  restore(after: string): string | undefined
}

export function redactForEdit(text: string, { note, byPlace, net, isNote, known }: RedactOptions): RedactedText {
  const [shown, held] = hidden(text, byPlace, net, isNote, known)
  if (held.every(({ original }) => original === redactionPlaceholder)) return { shown, restore: (after) => after }
  return {
    shown,
    restore(after) {
      const rest = addedTo(shown, after)
      if (rest !== undefined) {
        const whole = withoutEnd(text) + rest
        return note.isFullyLocal || areLocal(whole, linesHeld(shown, held)) ? whole : undefined
      }
      return note.isFullyLocal ? undefined : putBack(after, held)
    },
  }
}

/** Returns the redacted text and the originals of its placeholders, in order. The note may itself contain a placeholder. */
function hidden(
  text: string,
  byPlace: string,
  net: LocalTextMatcher,
  isNote: boolean,
  known: KnownWords,
): readonly [string, readonly Redaction[]] {
  const stretches = net.matches(byPlace, { isNote, known })
  const originals = text.split(/(\r\n|\n|\r)/)
  const held: Redaction[] = []
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

/** Splits a line into redacted and visible pieces. A stretch over several lines is redacted in each. */
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

function own(text: string): Redaction[] {
  return text
    .split(redactionPlaceholder)
    .slice(1)
    .map(() => ({ original: redactionPlaceholder, isLine: false }))
}

function withoutEnd(text: string): string {
  return text.replace(/[\r\n]+$/, '')
}

/** Returns the text appended to `shown`; undefined for any other edit. */
function addedTo(shown: string, after: string): string | undefined {
  const before = withoutEnd(shown)
  if (!after.startsWith(before)) return undefined
  const rest = after.slice(before.length)
  return rest === '' || /^[\r\n]/.test(rest) ? rest : undefined
}

/** Returns the 0-based numbers of the local lines in a redacted text. */
function linesHeld(shown: string, held: readonly Redaction[]): number[] {
  let line = 0
  return shown.split(redactionPlaceholder).flatMap((piece, at) => {
    line += breaksIn(piece)
    return held[at]?.isLine ? [line] : []
  })
}

function putBack(after: string, held: readonly Redaction[]): string | undefined {
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
  const { isFullyLocal, localLines } = visibilityOf(text)
  return isFullyLocal || at.every((line) => localLines.has(line))
}

function breaksIn(text: string): number {
  return text.match(/\r\n|\n|\r/g)?.length ?? 0
}
