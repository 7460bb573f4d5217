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

  it.each([
    ['/记住 明天交房租', { name: 'remember', argument: '明天交房租' }],
    ['／記住明天交房租', { name: 'remember', argument: '明天交房租' }],
    ['、新对话', { name: 'new', argument: '' }],
    ['/记账', undefined],
  ])('%s is a command in Chinese, with and without a space', (message, command) => {
    expect(parseCommand(message)).toEqual(command)
  })

  it('keeps the text after /new', () => {
    expect(parseCommand('/new  what is\nx ')).toEqual({ name: 'new', argument: 'what is\nx' })
  })
})
