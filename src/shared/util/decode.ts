/** Reverses `encodeURIComponent` on a URL component. @returns the input unchanged if its encoding is malformed */
export function decodePart(encoded: string): string {
  return decodeWith(decodeURIComponent, encoded)
}

/** Keeps encoded separators (`%2F`, `%3F` …). @returns the input unchanged if its encoding is malformed */
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

/** Encodes any string as a URL component. Lone surrogates, which make `encodeURIComponent` throw, become U+FFFD. */
export function encodePart(text: string): string {
  return encodeURIComponent(text.toWellFormed())
}
