import { describe, expect, it } from 'vitest'
import { commitMessage, parseMessage } from '../../../src/main/history/change.ts'
import { isOwnWords, sourceMark, sourcesIn, withSource } from '../../../src/shared/provenance.ts'
import { staysHere } from '../../../src/shared/reach.ts'
import { keepsLocal, withAddedLocal, withVisibility } from '../../../src/shared/visibility-edit.ts'

const web = { kind: 'web', name: 'news.example' } as const

describe('M63 marks', () => {
  it('M63: are read back as they were written, whatever the name', () => {
    expect(sourceMark([web], '2026-11-22')).toBe('^[web: news.example, 2026-11-22]')
    for (const name of ['www.a.example', 'x] ^[user: me', 'a, b', '  ', '文件.pdf', '<b>\n'])
      expect(sourcesIn(`a ${sourceMark([{ kind: 'file', name }], '2026-11-22')}`)).toHaveLength(1)
    expect(sourcesIn(withSource('---\r\ntags: a\r\n---\r\nx', [web], '2026-11-22'))).toEqual([web])
    expect(sourcesIn('a ^[user: confirmed] [web: x](y)')).toEqual([])
  })

  it('M63: words are the user’s where all of them are, and nothing unseen is among them', () => {
    const own = 'Please remember that my dog is called Rex'
    expect(isOwnWords('- My dog is called Rex.', own)).toBe(true)
    expect(isOwnWords('- My dog is called Rex and bites.', own)).toBe(false)
    expect(isOwnWords('- My dog is called Rex\u{E0041}', own)).toBe(false)
    expect(isOwnWords('- 🐕', own)).toBe(false)
    expect(isOwnWords('- 我的狗叫雷克斯', '请记住我的狗叫雷克斯')).toBe(true)
  })

  it('M63: the record of the history says it', () => {
    const origin = { cause: 'agent' as const, sources: ['web: news.example', 'file: a.txt'] }
    expect(parseMessage(commitMessage(origin, []))).toMatchObject(origin)
  })
})

describe('M64 who is local, and how it is written', () => {
  it.each([
    ['http://localhost:11434/v1', true],
    ['http://127.1:80/', true],
    ['http://[::1]:1/', true],
    ['http://[::ffff:127.0.0.1]/', true],
    ['http://api.localhost./', true],
    ['http://localhost.example/', false],
    ['http://192.168.1.20:11434/v1', false],
    ['http://0.0.0.0:1/', false],
    ['https://api.anthropic.com', false],
    [undefined, false],
  ])('M64: %s', (url, isLocal) => {
    expect(staysHere('auto', url, undefined)).toBe(isLocal)
    expect(staysHere('auto', url, 'http://proxy.example:3128')).toBe(false)
    expect(staysHere('remote', url, undefined)).toBe(false)
    expect(staysHere('local', url, undefined)).toBe(true)
  })

  it.each([
    'x\n',
    '\uFEFFx\r\n',
    '---\ntags: a\n---\nx\n',
    '---\r\ntags: a\r\n---\r\nx',
    '',
    '---\nnever ends',
    'visibility:: local\n- x',
  ])('M64: %j is locked and opened again', (text) => {
    const locked = withVisibility(text, true)
    expect(locked).toMatch(/^\uFEFF?---\r?\n(?:.*\r?\n)*?visibility: local\r?\n---/)
    expect(withVisibility(locked, true)).toBe(locked)
    if (!text.startsWith('---\nnever') && !text.includes('::'))
      expect(withVisibility(locked, false).replace(/^(\uFEFF?)\r?\n/, '$1')).toBe(text)
  })

  it('M64: what is added is local by as few marks as that takes; what was, stays so', () => {
    const log = '# 2026-01-20\n\n## 09:00 - Open\nx\n'
    const added = withAddedLocal(log, `${log}\n## 10:00 - Mine\na\n\nb\n`, true)
    expect(added).toBe(`${log}\n## 10:00 - Mine ^[local]\na\n\nb\n`)
    expect(keepsLocal(added, `${added}\n## 11:00 - More\n`)).toBe(true)
    expect(keepsLocal(added, added.replace(' ^[local]', ''))).toBe(false)
    expect(keepsLocal(added, added.replace('\na\n', '\n## Other\na\n'))).toBe(false)
    expect(keepsLocal(added, added.replace('b\n', ''))).toBe(false)
  })
})
