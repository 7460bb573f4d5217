/**
 * Whether a message is worth reading at all: a text that nests ten thousand levels deep, or holds millions of values,
 * costs far more to take apart than its bytes say. Long strings (files) cost nothing and are passed over.
 */

/** No request nests deeper than a few levels; settings are the deepest. */
const mostLevels = 100
/** Values of all lists and objects together; the longest lists that a request may hold are a tenth of it. */
const mostValues = 1_000_000

const quote = 0x22
const backslash = 0x5c
const comma = 0x2c

/** @param message JSON in UTF-8; what is no JSON is found out by the parser */
export function isReasonable(message: Buffer): boolean {
  let levels = 0
  let values = 0
  for (let at = 0; at < message.length; at += 1) {
    const byte = message[at]
    if (byte === quote) {
      at = endOfString(message, at + 1)
      if (at === -1) return true
    } else if (byte === comma) values += 1
    else if (byte === 0x5b || byte === 0x7b) levels += 1
    else if (byte === 0x5d || byte === 0x7d) levels -= 1
    if (levels > mostLevels || values > mostValues) return false
  }
  return true
}

/** Where the string's closing quote stands; -1 where there is none. */
function endOfString(message: Buffer, start: number): number {
  for (let at = message.indexOf(quote, start); at !== -1; at = message.indexOf(quote, at + 1)) {
    let escapes = 0
    while (at - escapes > start && message[at - escapes - 1] === backslash) escapes += 1
    if (escapes % 2 === 0) return at
  }
  return -1
}
