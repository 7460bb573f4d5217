/** Which words of a text may become links, held against what is shown and against the moment of writing. */
import { describe, expect, it } from 'vitest'
import { linkMention } from '../../../../src/main/workspace/links/repair-link.ts'
import { canStandBeside, notProse } from '../../../../src/shared/markdown/links/prose.ts'
import { expectLinear } from '../../../support/processor-time.ts'
import { rounds } from '../../../support/thorough.ts'

/** The text with `{…}` around every `Target` that may be linked. */
const mentions = (text: string) => {
  const taken = notProse(text)
  return text.replaceAll('Target', (words, at: number) => {
    const to = at + words.length
    const isTaken = taken.some((range) => range.from < to && range.to > at) || !canStandBeside(text, at, to)
    return isTaken ? words : `{${words}}`
  })
}

/** As the write sees it. */
const isRefused = (text: string, at: number) => {
  const line = text.slice(0, at).split('\n').length
  const from = at - (text.lastIndexOf('\n', at - 1) + 1)
  try {
    linkMention(text, { path: 'a.md', line, from, words: 'Target', link: '[[Target]]' })
    return false
  } catch {
    return true
  }
}

describe('M67: what is no prose', () => {
  it.each([
    'A {Target}, and ({Target}) – *{Target}*, **{Target}**: {Target}!',
    '# {Target} again\n\n- [ ] {Target}\n> {Target}',
    '[a](https://example.com/Target/page) https://en.wikipedia.org/wiki/Target <https://x.org/Target> {Target}',
    '#Target #area/Target (#Target) C#Target {Target} @Target',
    '$Target$ $$Target$$ $$\na Target\n$$ {Target} costs $5, {Target} $6, US$ {Target}',
    '<span title="Target">{Target}</span> <br data-x=\'Target\'/> <Target@x.org>',
    '<a href="x">Target</a> {Target} <kbd>Target</kbd> <script>\n\nTarget\n</script> {Target}',
    '<div>\nTarget\n</div>\n\n{Target}',
    '[Target](https://x.org) ![Target](https://x.org/p.png "Target") [see Target here](u.md) {Target}',
    '[[![Target](p.png)](https://x.org) {Target}',
    '[a Target b][r] [a {Target} b] [Target][] [so Target]\n\n[r]: https://x.org/Target "Target"\n',
    '[see Target here] {Target}\n\n[see  target here]: https://x.org',
    '> [r]: https://x.org/Target\n\n[a note on {Target}, later]',
    'user@Target.com me.Target@x.org mailto:Target example.com/Target www.Target.org Target.pdf ./a/Target /Target',
    '`Target` ``a ` Target`` {Target}\n\n```\nTarget\n```\n\n    Target\n\n{Target}',
    '<!-- Target --> %% Target %% {Target}',
    '---\ntitle: Target\n---\n{Target}',
    '[[Target]] [[x|Target]] ![[Target]] [[https://x.org/Target]] [[Target \\[[Target]]',
    'A note.[^Target] {Target} ^[so {Target} is]\n\n[^Target]: {Target} is told',
    'A line {Target} ^Target\n\n{Target}',
    'Target:: x\ntags:: Target\nalias:: Target\nauthor:: {Target}',
    '{{embed Target}} {{query (and Target)}} {Target}',
    '!Target \\Target \\#Target \\[Target\\] [!Target] {Target}',
    '看https://x.org/Target，{Target}的',
  ])('%j', (marked) => {
    const text = marked.replaceAll('{Target}', 'Target')
    expect(mentions(text)).toBe(marked)
    const places = [...text.matchAll(/Target/g)].map(({ index }) => index)
    const free = [...marked.matchAll(/\{?Target/g)].map(([one]) => !one.startsWith('{'))
    expect(places.map((at) => isRefused(text, at))).toEqual(free)
  })

  it('looks at a text of nothing but beginnings in one pass', () => {
    const beginnings = [
      '[',
      '[[',
      '](',
      '$',
      '$$',
      '<a ',
      '<a "',
      '<a>',
      '<b',
      '{{',
      '#',
      'a.',
      'a@',
      '`',
      '[a]: ',
      '/',
    ]
    for (const one of [...beginnings, ...beginnings.map((sign) => `${sign}\n`), ' ', '\t', 'a', '\n> '])
      expectLinear((length) => notProse(one.repeat(length / one.length)), rounds(10_000, 50_000), one)
  }, 20_000)

  it('M67: a link with words of its own in a table has its bar escaped', () => {
    const table = '| a | b |\n|---|:-:|\n| the target | x |\n'
    const link = { path: 'a.md', words: 'target', link: '[[Target]]' }
    expect(linkMention(table, { ...link, line: 3, from: 6 })).toContain('| the [[Target\\|target]] | x |')
    expect(linkMention('the target | x\n', { ...link, line: 1, from: 4 })).toBe('the [[Target|target]] | x\n')
  })
})
