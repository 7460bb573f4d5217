/** Returns true if the texts contain every word of the query, ignoring case. True for an empty query. */
export function hasWords(texts: readonly string[], query: string): boolean {
  const text = texts.join('\n').toLowerCase()
  return query
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word))
}
