/** What is too deep, or holds too much, to be read at all. */
import { describe, expect, it } from 'vitest'
import { isReasonable } from '../../../src/main/app/transport/message-shape.ts'

describe('M56 the shape of messages', () => {
  it.each([
    ['a request', '{"i":"1","p":{"u":"/search/query","b":{"json":{"query":"x"}}}}', true],
    ['a hundred levels', `${'['.repeat(100)}${']'.repeat(100)}`, true],
    ['one level more', '['.repeat(101), false],
    ['objects within objects', '{"a":'.repeat(101), false],
    ['a hundred thousand levels', '['.repeat(100_000), false],
    ['brackets in a string', `{"text":"${'['.repeat(100_000)}"}`, true],
    ['brackets after a quote that is part of the string', `{"text":"\\"${'['.repeat(100_000)}"}`, true],
    ['brackets after a string that ends in a backslash', `{"text":"\\\\"${'['.repeat(101)}`, false],
    ['a million values', `[${'1,'.repeat(999_999)}1]`, true],
    ['more values', `[${'1,'.repeat(1_000_001)}1]`, false],
    ['commas in a string', JSON.stringify(','.repeat(1_100_000)), true],
    ['six million quotes in a string', JSON.stringify('"'.repeat(6_000_001)), false],
    ['a string that does not end', `"${'x'.repeat(1000)}`, true],
  ])('M56: %s', (_name, message, expected) => {
    expect(isReasonable(Buffer.from(message))).toBe(expected)
  })
})
