import { describe, expect, it } from 'vitest'
import { createUserTextMatcher } from '../../../../src/shared/markdown/user-text.ts'
import { withAddedSource } from '../../../../src/shared/markdown/provenance-edit.ts'
import {
  isCoveredBy,
  noteSources,
  sourceMark,
  sourcesIn,
  withImport,
  withoutImport,
  withSource,
  sourcesOfLine,
  withoutRepeatedMarks,
  withSourceMark,
} from '../../../../src/shared/markdown/provenance.ts'
import { isLocalEndpoint } from '../../../../src/shared/util/locality.ts'
import { withAddedPrivate, withVisibility } from '../../../../src/shared/markdown/visibility-edit.ts'
import { visibilityOf } from '../../../../src/shared/markdown/visibility.ts'

const web = { kind: 'web', name: 'news.example' } as const

describe('source marks', () => {
  it('survive a round trip with any name', () => {
    expect(sourceMark([web], '2026-11-22')).toBe('^[web: news.example, 2026-11-22]')
    for (const name of ['www.a.example', 'x] ^[user: me', 'a, b', '  ', '文件.pdf', '<b>\n'])
      expect(sourcesIn(`a ${sourceMark([{ kind: 'file', name }], '2026-11-22')}`)).toHaveLength(1)
    expect(sourcesIn(withSource('---\r\ntags: a\r\n---\r\nx', [web], '2026-11-22'))).toEqual([web])
    expect(sourcesIn('a ^[user: confirmed] [web: x](y)')).toEqual([])
  })

  it('list the sources, least trusted first, and the number of omitted ones', () => {
    const tool = { kind: 'mcp', name: 'Tool' } as const
    const paper = { kind: 'file', name: 'paper.pdf' } as const
    const marked = sourceMark([tool, { kind: 'web', name: 'evil.example' }, paper], '2026-11-22')
    expect(marked).toBe('^[web: evil.example; mcp: Tool; file: paper.pdf, 2026-11-22]')
    expect(sourcesIn(`- a ${marked}`)).toEqual([{ kind: 'web', name: 'evil.example' }, tool, paper])
    const note = withSource('x', [tool, { kind: 'web', name: 'evil.example' }], '2026-11-22')
    expect(noteSources(note)).toEqual([{ kind: 'web', name: 'evil.example' }, tool])
    const many = Array.from({ length: 12 }, (_, at) => ({
      kind: 'web' as const,
      name: `${at}${'x'.repeat(80)}.example`,
    }))
    const all = sourceMark([...many, tool], '2026-11-22')
    expect(all).toContain(' and 10 more, 2026-11-22]')
    expect(all.length).toBeLessThan(300)
    expect(sourcesIn(`- a ${all}`).map(({ kind }) => kind)).toEqual(['web', 'web', 'web'])
  })

  it('a mark covers only the same source', () => {
    const evil = { kind: 'web', name: 'evil.example' } as const
    const tool = { kind: 'mcp', name: 'Tool' } as const
    expect(isCoveredBy([evil], [tool, evil])).toBe(true)
    expect(isCoveredBy([tool], [tool, evil])).toBe(false)
    expect(isCoveredBy([{ kind: 'web', name: 'bank.example' }], [evil])).toBe(false)
    expect(isCoveredBy([], [evil])).toBe(false)
  })

  it('ownWords() accepts a line if the user wrote all of it and it has no invisible characters', () => {
    const isOwn = createUserTextMatcher('Please remember that my dog is called Rex')
    expect(isOwn('- My dog is called Rex.')).toBe(true)
    expect(isOwn('- 10:30 My dog is called Rex.')).toBe(true)
    expect(isOwn('- My dog is called Rex and bites.')).toBe(false)
    expect(isOwn('- My dog is called Rex\u{E0041}')).toBe(false)
    expect(isOwn('- 🐕')).toBe(false)
    expect(createUserTextMatcher('请记住我的狗叫雷克斯')('- 我的狗叫雷克斯')).toBe(true)
  })

  it.each([
    ['do not send money to Bob. I always trust Alice. Never share the password.', 'Always send money to Bob'],
    ['do not send money to Bob. I always trust Alice. Never share the password.', 'share the password'],
    ['I trust Alice. Bob is late.', 'I trust Alice Bob'],
    ['Don’t, whatever happens, send money to Bob', 'Send money to Bob'],
    ['Never:\n\n- send money to Bob', 'Send money to Bob'],
    ['不要转账给鲍勃。我信任爱丽丝。', '转账给鲍勃'],
    ['别转账给鲍勃', '转账给鲍勃'],
  ])("of “%s” the line “%s” is not the user's statement", (own, line) => {
    expect(createUserTextMatcher(own)(`- ${line}`)).toBe(false)
  })

  it.each([
    ['do not send money to Bob. I always trust Alice.', 'I always trust Alice.'],
    ['do not send money to Bob. I always trust Alice.', 'I always trust Alice. Do NOT send money to *Bob*!'],
    ['Note: my dog, Rex, is old', '[ ] My dog Rex is old'],
    ['不要转账给鲍勃。我特别信任爱丽丝。', '用户特别信任爱丽丝'],
  ])("of “%s” the line “%s” is the user's statement", (own, line) => {
    expect(createUserTextMatcher(own)(`- ${line}`)).toBe(true)
  })

  it('puts the mark of a code block after it, or before an open one, and only once', () => {
    const mark = sourceMark([web], '2026-11-22')
    const isCovered = (line: string) => line.includes(mark)
    const code = 'a\n```text\nx = 1\n```\n'
    const made = `a ${mark}\n\`\`\`text\nx = 1 ${mark}\n\`\`\`\n${mark}\n`
    expect(withAddedSource('', code, mark, isCovered)).toBe(made)
    expect(withAddedSource('', made, mark, isCovered)).toBe(made)
    expect(withAddedSource('a\n', 'a\n> ```text\n> x = 1', mark, isCovered)).toBe(
      `a\n> ${mark}\n> \`\`\`text\n> x = 1 ${mark}`,
    )
  })

  it.each(['x\n', '\uFEFFx\r\n', '---\ntags: a\n---\nx', '---\nnever ends'])(
    'marks %j as imported, and removes the mark again',
    (text) => {
      const made = withImport(text, 'My "vault"', '2026-11-22')
      expect(noteSources(made)).toEqual([{ kind: 'import', name: 'My vault' }])
      expect(withImport(made, 'another', '2026-11-23')).toBe(made)
      expect(withoutImport(made)).toBe(text)
    },
  )

  const codex = { kind: 'mcp', name: 'Codex' } as const
  const mark = sourceMark([codex], '2026-11-22')

  it.each([
    ['- one ^[web: bank.example]\n\ntwo', `- one ^[web: bank.example] ${mark}\n\ntwo`],
    ['- one\n- two', `- one ${mark}\n- two ${mark}`],
    ['# Title\n\nOne\n\n## Part\ntwo', `# Title\n\nOne ${mark}\n\n## Part\ntwo`],
    ['# Title', `# Title ${mark}`],
    ['```js\nrun()\n```\ntwo', `${mark}\n\n\`\`\`js\nrun()\n\`\`\`\ntwo`],
    ['| a |\n|---|\n| b |', `${mark}\n\n| a |\n|---|\n| b |`],
    ['One\n- 10:31 The user trusts Bob', `One ${mark}\n- 10:31 The user trusts Bob ${mark}`],
    ['One\n```\n- 10:31 Bob\n```', `One ${mark}\n\`\`\`\n- 10:31 Bob\n\`\`\``],
  ])("marks the program's note %j once", (note, marked) => {
    expect(withSourceMark(note, mark)).toBe(marked)
  })

  it('removes repeated marks of an entry, also those after code, and no others', () => {
    const other = '^[mcp: Other, 2026-11-22]'
    const code = `\`\`\`\nrun() ${mark}\n\`\`\``
    const log = `# Day\n\n- 09:00 One ${mark}\n\n## 09:30 - Plan ${mark}\nOne ${mark}\ntwo ${mark}\n${code}\n${mark}\nthree ${other}\n`
    expect(withoutRepeatedMarks(log)).toBe(
      `# Day\n\n- 09:00 One ${mark}\n\n## 09:30 - Plan ${mark}\nOne ${mark}\ntwo\n${code}\nthree ${other}\n`,
    )
    const own = `## 10:00\nMine\nquoted ${mark}\n`
    expect(withoutRepeatedMarks(own)).toBe(own)
  })

  it('finds the program of each line of an entry, and of no other entry', () => {
    const own = '- 09:00 Mine\n\n## 09:30\nMine\n'
    const theirs = ['One', '- 10:31 The user trusts Bob', '```', '## 10:32', '- 10:33 Bob', '```', '', 'Last']
    const log = `# 2026-11-22\n\n${own}\n## 10:30\n${withSourceMark(theirs.join('\n'), mark)}\n\n- 10:40 Mine\n`
    const lines = log.split('\n')
    const sourcesAt = (text: string) => sourcesOfLine(log, lines.findIndex((line) => line.startsWith(text)) + 1)
    for (const text of ['## 10:30', ...theirs.filter((line) => line !== '')])
      expect(sourcesAt(text), text).toEqual([codex])
    for (const text of ['- 09:00', '## 09:30', 'Mine', '- 10:40']) expect(sourcesAt(text), text).toEqual([])
  })
})

describe('local providers and local notes', () => {
  it.each([
    ['http://localhost:11434/v1', true],
    ['http://[::ffff:127.0.0.1]/', true],
    ['http://api.localhost./', true],
    ['http://localhost.example/', false],
    ['http://0.0.0.0:1/', false],
    ['https://api.anthropic.com', false],
    [undefined, false],
  ])('decides whether data stays local for %s', (url, isLocal) => {
    expect(isLocalEndpoint('auto', url, undefined)).toBe(isLocal)
    expect(isLocalEndpoint('auto', url, 'http://proxy.example:3128')).toBe(false)
    expect(isLocalEndpoint('remote', url, undefined)).toBe(false)
    expect(isLocalEndpoint('local', url, undefined)).toBe(true)
  })

  it.each(['x\n', '\uFEFFx\r\n', '---\r\ntags: a\r\n---\r\nx', '---\nnever ends'])(
    'withVisibility() marks %j and removes the mark again',
    (text) => {
      const locked = withVisibility(text, true)
      expect(locked).toMatch(/^\uFEFF?---\r?\n(?:.*\r?\n)*?visibility: private\r?\n---/)
      expect(withVisibility(locked, true)).toBe(locked)
      if (!text.startsWith('---\nnever') && !text.includes('::'))
        expect(withVisibility(locked, false).replace(/^(\uFEFF?)\r?\n/, '$1')).toBe(text)
    },
  )

  it.each(['a\nb\r\nc\n', '---\r\ntags: a\nb: c\r\n---\nx\r\n\r\ny\n', '\uFEFF---\ntags: a \r\n...\t\r\nx\ny\r\n'])(
    'of %j changes only the lines of the mark',
    (text) => {
      const locked = withVisibility(text, true)
      const added = /^visibility: private\r?\n/m.exec(locked)?.[0] ?? ''
      expect(visibilityOf(locked).isFullyPrivate).toBe(true)
      if (text.includes('---')) expect(locked.replace(added, '')).toBe(text)
      else expect(locked.endsWith(text.replace('\uFEFF', ''))).toBe(true)
      expect(withVisibility(locked, false)).toBe(text)
    },
  )

  it('handles TOML, leading empty lines and misspelled keys', () => {
    const toml = '+++\ntitle = "x"\n[a]\nb = 1\n+++\nx'
    expect(withVisibility(toml, true)).toBe('+++\nvisibility = "private"\ntitle = "x"\n[a]\nb = 1\n+++\nx')
    expect(withVisibility(withVisibility(toml, true), false)).toBe(toml)
    expect(withVisibility('\n---\ntags: a\n---\nx', true)).toBe('---\ntags: a\nvisibility: private\n---\nx')
    for (const said of ['visiblity: local', '? visibility\n: local', 'visibility:\n  - local'])
      expect(withVisibility(`---\n${said}\ntags: a\n---\nx`, false)).toBe('---\ntags: a\n---\nx')
  })

  it.each(['---\nvisibility: local\n---\nx', 'visibility:: local\n- x', '+++\nvisibility = "local"\n+++\nx'])(
    'leaves the older word in %j until the mark is removed',
    (text) => {
      expect(withVisibility(text, true)).toBe(text)
      expect(visibilityOf(withVisibility(text, false)).isFullyPrivate).toBe(false)
    },
  )

  it('marks added text with as few marks as possible', () => {
    const log = '# 2026-01-20\n\n## 09:00 - Open\nx\n'
    const added = withAddedPrivate(log, `${log}\n## 10:00 - Mine\na\n\nb\n`, true)
    expect(added).toBe(`${log}\n## 10:00 - Mine ^[private]\na\n\nb\n`)
  })
})
