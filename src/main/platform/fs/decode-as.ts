/** @returns undefined for bytes that are none, and where the runtime does not know the encoding */
export function decodeAs(encoding: string, bytes: Uint8Array, fatal: boolean): string | undefined {
  try {
    return new TextDecoder(encoding, { fatal, ignoreBOM: fatal }).decode(bytes)
  } catch (error) {
    if (error instanceof TypeError || error instanceof RangeError) return undefined
    throw error
  }
}
