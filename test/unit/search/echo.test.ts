import { describe, expect, it } from 'vitest'
import { isEcho, pairEchoes, withoutQuestion } from '../../../src/main/search/ranking/echo.ts'

describe('questions in transcripts', () => {
  it.each([
    ['- User: What is the port of my server?', 'what port does my server use'],
    ['- User: what is the port of my server', 'port of the server?'],
    ['- User: 我的服务器端口是多少？', '服务器的端口是多少'],
    ['- User: 伺服器的連接埠是多少', '伺服器的連接埠是幾號'],
    ['- User: サーバーのポートは何番ですか', 'サーバーのポートは何番'],
    ['- User: 서버 포트가 뭐야?', '서버 포트가 뭐였지'],
    ['**User:** Remind me which port the server has.', 'which port has the server'],
  ])('removes the question from %s', (line, query) => {
    expect(withoutQuestion(`${line}\n- Assistant: I do not know.`, query)).toEqual({
      question: line.replace(/^\S+ User: |^\*\*User:\*\* |^- User: /, ''),
      rest: '\n- Assistant: I do not know.',
    })
  })

  it.each([
    ['- User: My server port is 8443.', 'what port does my server use'],
    ['- Assistant: Which port does your server use?', 'what port does my server use'],
    ['- User: Can you book a table at Luigi’s for my birthday on May 3?', 'when is my birthday'],
    ['Which port does my server use?', 'what port does my server use'],
    ['- User: hello', ''],
  ])('removes nothing from %s', (line, query) => {
    expect(withoutQuestion(line, query)).toBeUndefined()
  })

  it('removes only the sentence with the question, and keeps line numbers', () => {
    const text = '- User: Good morning. What is the port of my server? Mine is the one in Hamburg.\n- Assistant: 8443'
    const heard = withoutQuestion(text, 'server port')
    expect(heard?.question).toBe('What is the port of my server?')
    expect(heard?.rest.split('\n')).toHaveLength(2)
    expect(heard?.rest).toContain('Mine is the one in Hamburg.')
  })
})

describe('isEcho', () => {
  it.each([
    [
      '- Assistant: Noted: the server port is 8443 since January. Anything else?',
      ['server', 'port'],
      '# x\n- The server port is 8443 since January\n',
      true,
    ],
    ['- User: 记住服务器的端口是八四四三', ['端口'], '- 服务器的端口是八四四三\n', true],
    [
      '- User: the server port is 9000 in Hamburg now',
      ['server', 'port'],
      '- The server port is 8443 since January\n',
      false,
    ],
    ['- User: server port', ['server'], 'server port', false],
    [
      '- User: alpha beta gamma delta',
      ['alpha'],
      'alpha\n1\n2\n3\n4\nbeta\n5\n6\n7\n8\ngamma\n9\n10\n11\n12\ndelta',
      false,
    ],
  ])('recognizes whether a file contains %s', (line, matched, file, expected) => {
    expect(isEcho(line, matched, file)).toBe(expected)
  })

  it('pairs transcripts with the best file that contains the same', () => {
    const of = (id: number, source: string, score: number) => ({ score, input: { id, source } })
    const ranked = [of(1, 'sessions', 0.9), of(2, 'memory', 0.5), of(3, 'memory', 0.6), of(4, 'sessions', 0.1)]
    const pairs = pairEchoes(ranked, 0.35, () => true)
    expect([...pairs].map(([id, { input }]) => [id, input.id])).toEqual([[1, 3]])
  })
})
