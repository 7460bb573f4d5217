import { matchesQuote, mayBeSuperseded, supersededLine, type Successor } from '#shared/markdown/superseded.ts'
import { evidenceOf, lineFinding, type Finding } from '../suggestions/proposal.ts'
import type { Note } from './note-line.ts'

/** Proposes to update the reference of superseded lines whose successor line has moved. */
export function findStaleReferences(notes: readonly Note[]): Finding[] {
  const lines = new Map(notes.map(({ path, text }) => [path, text.split(/\r?\n/)]))
  return notes
    .filter(({ text }) => mayBeSuperseded(text))
    .flatMap(({ path }) =>
      (lines.get(path) ?? []).flatMap((raw, at): Finding[] => {
        const reference = supersededLine(raw)?.by
        const successor = reference && findSuccessor(path, reference, lines)
        if (!reference || !successor) return []
        const target = `${successor.written}:${successor.line}`
        const after = raw.replace(`[${reference.path}:${reference.line}`, () => `[${target}`)
        if (after === raw) return []
        const finding = lineFinding('drifted', { path, line: at + 1, raw }, [after], { target })
        const evidence = [...finding.evidence, evidenceOf(successor.path, successor.line, successor.text)]
        return [{ ...finding, evidence }]
      }),
    )
}

/**
 * Finds the current place of a successor line.
 * @returns `written`: the path as in the struck line, possibly relative to its folder; undefined if the reference is
 * correct or the target cannot be determined
 */
function findSuccessor(
  notePath: string,
  { path, line, text }: Successor,
  lines: ReadonlyMap<string, readonly string[]>,
) {
  if (text === undefined || line === undefined) return undefined
  const folder = notePath.slice(0, notePath.lastIndexOf('/') + 1)
  const target = [path, folder + path].find((candidate) => lines.has(candidate))
  const targetLines = target === undefined ? [] : (lines.get(target) ?? [])
  if (matchesQuote(targetLines[line - 1] ?? '', text)) return undefined
  // The struck line quotes its successor but is not the successor.
  const inTarget = placesOf(target ?? path, targetLines, text).filter(
    (place) => place.path !== notePath || supersededLine(place.text)?.by?.text !== text,
  )
  const nearest = inTarget.toSorted((one, other) => Math.abs(one.line - line) - Math.abs(other.line - line))[0]
  if (nearest) return { ...nearest, written: path }
  const elsewhere = [...lines].flatMap(([other, texts]) => (other === target ? [] : placesOf(other, texts, text)))
  return elsewhere.length === 1 ? elsewhere[0] : undefined
}

function placesOf(path: string, lines: readonly string[], quote: string) {
  return lines.flatMap((text, at) => (matchesQuote(text, quote) ? [{ path, written: path, line: at + 1, text }] : []))
}
