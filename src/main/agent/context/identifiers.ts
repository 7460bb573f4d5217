/** Identifiers of a text: paths, addresses, ids, versions, numbers with a unit. What a summary must not lose. Pure. */
import { withoutLongRuns } from '#shared/util/skip-long-tokens.ts'

const patterns = [
  /https?:\/\/[^\s<>"')\]]+/g,
  /\b[\w.+-]+@[\w-]+\.[\w.]+\b/g,
  /(?:\.{0,2}\/)?[\w@.-]+(?:\/[\w@.-]+)+/g,
  /\b[A-Z][A-Z0-9]*(?:[_-][A-Z0-9]+)+\b/g,
  /\bv?\d+\.\d+(?:\.\d+)*\b/g,
  /\b\d{4}-\d{2}-\d{2}\b/g,
  /\b\d+(?:[.,]\d+)?\s?(?:ms|s|min|h|kB|MB|GB|TB|%|€|\$|USD|EUR|km|m|kg|requests|tokens|users)(?!\w)/g,
  /\b[0-9a-f]{7,40}\b/g,
]

export function identifiersIn(text: string): Set<string> {
  const found = new Set<string>()
  const names = withoutLongRuns(text)
  for (const pattern of patterns)
    for (const [match] of names.matchAll(pattern)) found.add(match.replace(/[.,;:]+$/, ''))
  return found
}

/** Those of `before` that are spoken of again in `after` and that `summary` lacks. */
export function lostIdentifiers(before: string, after: string, summary: string): string[] {
  return [...identifiersIn(before)].filter((identifier) => after.includes(identifier) && !summary.includes(identifier))
}
