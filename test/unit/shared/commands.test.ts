import { describe, expect, it } from 'vitest'
import { parseCommand, unknownCommand } from '../../../src/shared/chat/messages.ts'

describe('unknownCommand', () => {
  it.each([
    ['/foo bar', 'foo'],
    [' /foo', 'foo'],
    ['/New what is x', 'New'],
    ['/new-chat\nx', 'new-chat'],
  ])('%j names a command that does not exist', (message, name) => {
    expect(unknownCommand(message)).toBe(name)
  })

  it.each(['/new what is x', '/help', '/etc/hosts', '/etc/hosts is empty', '/ 2 of them', '/2', '//', '/', 'a /foo'])(
    '%j is a command or a message',
    (message) => {
      expect(unknownCommand(message)).toBeUndefined()
    },
  )

  it('keeps the text after /new', () => {
    expect(parseCommand('/new  what is\nx ')).toEqual({ name: 'new', argument: 'what is\nx' })
  })
})
