import { matchesQuote, mayBeSuperseded, supersededLine, type Successor } from '#shared/markdown/superseded.ts'
import { evidenceOf, type Finding } from '../suggestions/proposal.ts'
import type { Note } from './note-line.ts'

interface Place {
  readonly path: string
  /** 1-based. */
  readonly line: number
  readonly text: string
  /** Path as written in the struck line, possibly relative to its folder. */
  readonly shown: string
}

/** Proposes to update the reference of superseded lines whose successor line has moved. */
export function findStaleReferences(notes: readonly Note[]): Finding[] {
  const lines = new Map(notes.map(({ path, text }) => [path, text.split(/\r?\n/)]))
  return notes
    .filter(({ text }) => mayBeSuperseded(text))
    .flatMap(({ path }) =>
      (lines.get(path) ?? []).flatMap((raw, at): Finding[] => {
        const by = supersededLine(raw)?.by
        const now = by && findSuccessor(path, by, lines)
        if (!by || !now) return []
        const [oldReference, newReference] = [`[${by.path}:${by.line}`, `[${now.shown}:${now.line}`]
        const after = raw.replace(oldReference, () => newReference)
        if (after === raw) return []
        return [
          {
            rule: 'drifted',
            evidence: [evidenceOf(path, at + 1, raw), evidenceOf(now.path, now.line, now.text)],
            files: [{ path, edits: [{ line: at + 1, before: [raw], after: [after] }] }],
            detail: { target: `${now.shown}:${now.line}` },
          },
        ]
      }),
    )
}

/**
 * Finds the current place of a successor line.
 * @returns undefined if the reference is correct or the target cannot be determined
 */
function findSuccessor(
  from: string,
  { path, line, text }: Successor,
  lines: ReadonlyMap<string, readonly string[]>,
): Place | undefined {
  if (text === undefined || line === undefined) return undefined
  const folder = from.slice(0, from.lastIndexOf('/') + 1)
  const target = [path, folder + path].find((one) => lines.has(one))
  const targetLines = target === undefined ? [] : (lines.get(target) ?? [])
  if (matchesQuote(targetLines[line - 1] ?? '', text)) return undefined
  const inTarget = placesOf(target ?? path, targetLines, text).filter(
    (one) => one.path !== from || !quotesSuccessor(one.text, text),
  )
  const nearest = inTarget.toSorted((one, other) => Math.abs(one.line - line) - Math.abs(other.line - line))[0]
  if (nearest) return { ...nearest, shown: path }
  const elsewhere = [...lines].flatMap(([other, all]) => (other === target ? [] : placesOf(other, all, text)))
  return elsewhere.length === 1 ? elsewhere[0] : undefined
}

/** The struck line quotes its successor and must not count as the successor. */
function quotesSuccessor(line: string, quote: string): boolean {
  return supersededLine(line)?.by?.text === quote
}

function placesOf(path: string, lines: readonly string[], quote: string): Place[] {
  return lines.flatMap((text, at) => (matchesQuote(text, quote) ? [{ path, shown: path, line: at + 1, text }] : []))
}
