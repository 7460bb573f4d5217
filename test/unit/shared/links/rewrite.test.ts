/** Moves change only link targets, keep each link's style, and every link still leads to the same note. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { applyEdits, movedPath, planRewrites, type Move } from '../../../../src/shared/markdown/links/rewrite-links.ts'
import { parseLinks } from '../../../../src/shared/markdown/links/parse-links.ts'
import { Resolver } from '../../../../src/shared/markdown/links/resolve-link.ts'
import { namesOf, parseProperties } from '../../../../src/shared/markdown/properties/parse-properties.ts'
import { rounds } from '../../../support/thorough.ts'

type Vault = Readonly<Record<string, string>>

function moved(vault: Vault, moves: readonly Move[]) {
  const files = Object.entries(vault).map(([path, text]) => ({
    path,
    names: namesOf(parseProperties(text)),
    links: parseLinks(text).links,
  }))
  const { files: changed, unfixable } = planRewrites(files, moves)
  const edits = new Map(changed.map((file) => [file.path, file.edits]))
  const after = Object.fromEntries(
    Object.entries(vault).map(([path, text]) => [movedPath(path, moves), applyEdits(text, edits.get(path) ?? [])]),
  )
  return { after, left: unfixable, edits }
}

describe('rewriting links after a move', () => {
  it.each([
    ['[[Old]] [[old|label]] ![[Old#Head]] [[Old.md]]', '[[New]] [[New|label]] ![[New#Head]] [[New.md]]'],
    [
      '[t](b/Old.md) [t](./b/Old.md#x "t") [t](/b/Old.md) [t](b/Old)',
      '[t](b/New.md) [t](./b/New.md#x "t") [t](/b/New.md) [t](b/New)',
    ],
    [
      '[id]: <b/Old.md> "t"\r\n\r\n`[[Old]]` [[Alias]] [[Other]]',
      '[id]: <b/New.md> "t"\r\n\r\n`[[Old]]` [[Alias]] [[Other]]',
    ],
    ['| [[Old\\|x]] |', '| [[New\\|x]] |'],
  ])('%j becomes %j', (text, expected) => {
    const vault = { 'Home.md': text, 'b/Old.md': '---\nalias: Alias\n---\n[[Home]]', 'Other.md': '' }
    const { after, edits } = moved(vault, [{ from: 'b/Old.md', to: 'b/New.md' }])
    expect(after['Home.md']).toBe(expected)
    expect([...edits.keys()]).toEqual(['Home.md'])
  })

  it.each([
    [
      'a b.md',
      '[t](<b/a b.md>) [t](b/a%20b.md) [t](b/a%20b.md)',
      '[t](<b/c%23 (1.md>) [t](b/c%23%20%281.md) [t](b/c%23%20%281.md)',
      'c# (1.md',
    ],
    ['\u00e9.md', '[t](b/%C3%A9.md) [t](b/\u00e9.md)', '[t](b/%C3%BC.md) [t](b/\u00fc.md)', '\u00fc.md'],
  ])('keeps the encoding of %s', (name, text, expected, to) => {
    const { after, left } = moved({ 'Home.md': text, [`b/${name}`]: '' }, [{ from: `b/${name}`, to: `b/${to}` }])
    expect(after['Home.md']).toBe(expected)
    expect(left).toEqual([])
  })

  it('reports links that cannot be written: in front matter, and note embeds', () => {
    const vault = { 'a.md': '---\nup: "[[b]]"\n---\n![[b]]', 'b.md': '' }
    const { left, edits } = moved(vault, [{ from: 'b.md', to: 'b#1.md' }])
    expect(left).toEqual([
      { path: 'a.md', line: 2, target: 'b' },
      { path: 'a.md', line: 4, target: 'b' },
    ])
    expect(edits.size).toBe(0)
  })

  it('converts a wiki link to a Markdown link with the same text if no wiki link can name the note', () => {
    const vault = {
      'n/a.md': 'x [[b]], [[b|the [B] c]], [[b#Part two]]\n\n| t |\n|---|\n| [[b\\|lab]] |\n\n![[p.png|300]] `[[b]]`\n',
      'm/b.md': '# Part two\n',
      'm/p.png': '',
    }
    const { after, left } = moved(vault, [
      { from: 'm', to: 'C# | 1' },
      { from: 'x', to: 'y' },
    ])
    expect(left).toEqual([])
    expect(after['n/a.md']).toBe(vault['n/a.md'])
    const alone = moved({ ...vault, 'k/b.md': '', 'k/p.png': '', 'n/b.md': '' }, [{ from: 'n/b.md', to: 'n/b#.md' }])
    expect(alone.left).toEqual([])
    expect(alone.after['n/a.md']).toBe(
      'x [b](b%23.md), [the \\[B\\] c](b%23.md), [b#Part two](b%23.md#Part%20two)\n\n| t |\n|---|\n| [lab](b%23.md) |\n\n![[p.png|300]] `[[b]]`\n',
    )
    const shown = moved({ 'a.md': '![[m/p.png|300]]', 'm/p.png': '', 'k/p.png': '' }, [{ from: 'm', to: 'C# | 1' }])
    expect(shown.after['a.md']).toBe('![300](C%23%20%7C%201/p.png)')
  })

  it('keeps and reports links in macros, which allow no Markdown links', () => {
    const vault = { 'a.md': '- {{embed [[b]]}} [[b]]\n- {{query (and [[b]] [[c]])}} [[b]]\n', 'b.md': '' }
    const { after, left } = moved(vault, [{ from: 'b.md', to: 'b#1.md' }])
    expect(after['a.md']).toBe('- {{embed [[b]]}} [b](b%231.md)\n- {{query (and [[b]] [[c]])}} [b](b%231.md)\n')
    expect(left.map(({ line }) => line)).toEqual([1, 2])
  })

  it('writes a longer form if the new name is taken, and keeps other links from changing their target', () => {
    const vault = { 'Home.md': '[[Old]] [[Taken]]', 'a/Old.md': '', 'c/d/Taken.md': '' }
    expect(moved(vault, [{ from: 'a/Old.md', to: 'a/Taken.md' }]).after['Home.md']).toBe('[[a/Taken]] [[d/Taken]]')
  })

  it('moves a folder: updates links into it, out of it and inside it', () => {
    const vault = {
      'p/one.md': '[t](two.md) [t](../Home.md) ![x](img/x.png) [[two]]',
      'p/two.md': '[t](./one.md)',
      'p/img/x.png': '',
      'Home.md': '[t](p/one.md) ![[p/img/x.png]] [[two]]',
    }
    const { after } = moved(vault, [{ from: 'p', to: 'q/r' }])
    expect(after).toEqual({
      'q/r/one.md': '[t](two.md) [t](../../Home.md) ![x](img/x.png) [[two]]',
      'q/r/two.md': '[t](./one.md)',
      'q/r/img/x.png': '',
      'Home.md': '[t](q/r/one.md) ![[q/r/img/x.png]] [[two]]',
    })
  })

  it('preserves the target of every link and every other byte', () => {
    const name = fc.constantFrom('a', 'B', 'b', 'c d', 'e.f', '\u00e9', 'x(1', '100%', 'n___m')
    const folder = fc.constantFrom('', 'f/', 'f/g/', 'F h/', 'g/')
    const path = fc.tuple(folder, name, fc.constantFrom('.md', '.md', '.png')).map((parts) => parts.join(''))
    const target = fc
      .tuple(fc.constantFrom('', './', '../', '/', 'f/', 'g/', 'f/g/'), name, fc.constantFrom('', '.md', '.png'))
      .map((parts) => parts.join(''))
    const link = fc.oneof(
      target.map((to) => `[[${to}]]`),
      target.map((to) => `![[${to}#Part|label]]`),
      target.map((to) => `[t](${encodeURI(to).replaceAll(/[()]/g, '\\$&')}#part)`),
      target.map((to) => `\n\n[id]: ${encodeURI(to)} 'title'\n\n`),
      target.map((to) => `[t](<${to.replaceAll('%', '%25')}> "title")`),
      fc.constantFrom('text', '`[[a]]`', '\r\n\r\n', '\n', 'n/m', '[[n/m]]', '[[Al]]', '[['),
    )
    const text = fc.tuple(fc.constantFrom('', '\uFEFF', '---\nalias: Al\n---\n'), fc.array(link, { maxLength: 6 }))
    const vaults = fc.dictionary(
      path,
      text.map(([head, parts]) => head + parts.join(' ')),
      { minKeys: 2, maxKeys: 9 },
    )
    const move = fc.tuple(fc.nat(), fc.boolean(), path)
    fc.assert(
      fc.property(vaults, move, (vault: Vault, [pick, isFolder, wanted]) => {
        const paths = Object.keys(vault)
        const chosen = paths[pick % paths.length] ?? ''
        const above = chosen.split('/').slice(0, -1).join('/')
        const from = isFolder && above !== '' ? above : chosen
        const to = from === chosen ? wanted.replace(/\.\w+$/, '') + /\.\w+$/.exec(chosen)?.[0] : `Z/${above}`
        fc.pre(to !== from && !paths.some((known) => known === to || known.startsWith(`${to}/`)))
        const moves = [{ from, to }]
        const { after, left, edits } = moved(vault, moves)
        const isLeft = (at: string, line: number) => left.some((one) => one.path === at && one.line === line)
        const resolver = (files: Vault) =>
          new Resolver(
            Object.entries(files).map(([known, content]) => ({
              path: known,
              names: namesOf(parseProperties(content)),
            })),
          )
        const [old, now] = [resolver(vault), resolver(after)]
        for (const [at, content] of Object.entries(vault)) {
          const there = movedPath(at, moves)
          const [links, newLinks] = [parseLinks(content).links, parseLinks(after[there] ?? '').links]
          expect(newLinks).toHaveLength(links.length)
          for (const [index, link] of links.entries()) {
            const was = old.resolve(at, link)
            const newLink = newLinks[index]
            if (!was || !newLink || isLeft(at, link.line)) continue
            expect(now.resolve(there, newLink)?.path).toBe(movedPath(was.path, moves))
            expect(newLink.fragment).toBe(link.fragment)
          }
          const blank = (source: string, spans: readonly { targetFrom: number; targetTo: number }[]) =>
            applyEdits(
              source,
              spans.map(({ targetFrom, targetTo }) => ({ from: targetFrom, to: targetTo, text: '' })),
            )
          expect(blank(after[there] ?? '', newLinks)).toBe(blank(content, links))
          if (!edits.has(at)) expect(after[there]).toBe(content)
        }
      }),
      { numRuns: rounds(120, 20_000) },
    )
  })
})
