/** One part of an address (a path segment, a parameter) as it was before `encodeURIComponent`. */
export function decodePart(encoded: string): string {
  return decodeWith(decodeURIComponent, encoded)
}

/** An address as a whole: what separates its parts stays encoded. */
export function decodeAddress(encoded: string): string {
  return decodeWith(decodeURI, encoded)
}

function decodeWith(decode: (text: string) => string, encoded: string): string {
  if (!encoded.includes('%')) return encoded
  try {
    return decode(encoded)
  } catch (error) {
    if (error instanceof URIError) return encoded
    throw error
  }
}

/** One part of an address that any text can be put into; half a surrogate pair, which has no encoding, becomes U+FFFD. */
export function encodePart(text: string): string {
  return encodeURIComponent(text.toWellFormed())
}
