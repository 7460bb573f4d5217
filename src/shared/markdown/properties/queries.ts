const maxValue = 100

export function tagQuery(name: string): string {
  return `tag:${isPlain(name) ? name : `"${name.replaceAll('"', '')}"`}`
}

/** Returns the search query for a property value; a long value becomes a prefix match. */
export function propertyQuery(name: string, value: string): string {
  const queryValue = value.length > maxValue ? `${value.slice(0, maxValue).toWellFormed()}*` : value
  const isReserved = /^(?:after|before|on|in|path|source|tag)$/i.test(name)
  if (isPlain(queryValue) && /^[\p{L}_][\p{L}\p{N}_-]*$/u.test(name) && !isReserved) return `${name}:${queryValue}`
  return `[${name}:${queryValue === '' ? 'null' : queryValue.replaceAll(/[\]\n]/g, '*')}]`
}

function isPlain(text: string): boolean {
  return /^[\p{L}\p{M}\p{N}_/-]+$/u.test(text)
}
