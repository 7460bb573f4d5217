/**
 * Decodes bytes.
 * @returns undefined if `fatal` is set and the bytes are invalid, or if the runtime does not support the encoding
 */
export function decodeAs(encoding: string, bytes: Uint8Array, fatal: boolean): string | undefined {
  try {
    return new TextDecoder(encoding, { fatal, ignoreBOM: fatal }).decode(bytes)
  } catch (error) {
    if (error instanceof TypeError || error instanceof RangeError) return undefined
    throw error
  }
}
