/**
 * Whether a message is worth reading at all: a text that nests ten thousand levels deep, or holds millions of values,
 * costs far more to take apart than its bytes say. Long strings (files) cost nothing and are passed over.
 */

/** No request nests deeper than a few levels; settings are the deepest. */
const maxLevels = 100
/** Strings, and values of all lists and objects, together; the longest lists that a request may hold are a tenth of it. */
const maxValues = 1_000_000

/** Quotes, those inside of strings included: each is a step of its own on the way through. */
const maxQuotes = 6_000_000

const quote = 0x22
const backslash = 0x5c
const comma = 0x2c

/** @param message JSON in UTF-8; what is no JSON is found out by the parser */
export function isReasonable(message: Buffer): boolean {
  let levels = 0
  let values = 0
  let quotes = 0
  for (let at = 0; at < message.length; at += 1) {
    const byte = message[at]
    if (byte === quote) {
      values += 1
      const start = at + 1
      for (at = message.indexOf(quote, start); isEscaped(message, start, at); at = message.indexOf(quote, at + 1)) {
        quotes += 1
        if (quotes > maxQuotes) return false
      }
      if (at === -1) return true
    } else if (byte === comma) values += 1
    else if (byte === 0x5b || byte === 0x7b) levels += 1
    else if (byte === 0x5d || byte === 0x7d) levels -= 1
    if (levels > maxLevels || values > maxValues) return false
  }
  return true
}

/** True for a quote that is part of the string that begins at `start`. */
function isEscaped(message: Buffer, start: number, at: number): boolean {
  let backslashes = 0
  while (at - backslashes > start && message[at - backslashes - 1] === backslash) backslashes += 1
  return backslashes % 2 === 1
}
