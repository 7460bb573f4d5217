import { describe, expect, it } from 'vitest'
import { applyEdits, movedPath } from '../../../../src/shared/markdown/links/rewrite-links.ts'
import { canvasFiles, canvasLinks, rewriteCanvas } from '../../../../src/shared/markdown/links/canvas.ts'

const canvas = `{
\t"nodes":[
\t\t{"id":"a1","type":"file","file":"Projects/Alpha.md","subpath":"#Part","x":-10,"y":0},
\t\t{"type" : "file", "file" : "Projects\\/pic \\u00fc \\"1\\".png" ,"id":"b"},
\t\t{"id":"c","type":"text","text":"[[Projects/Alpha]] {\\"file\\":\\"Projects/Alpha.md\\"} file"},
\t\t{"id":"file","type":"file","file":"gone.md"}
\t],
\t"edges":[{"id":"e","fromNode":"a1","toNode":"b","label":"file"}]
}
`

describe('canvases', () => {
  it('lists the file nodes and ignores text content', () => {
    expect(canvasFiles(canvas).map(({ path }) => path)).toEqual([
      'Projects/Alpha.md',
      'Projects/pic ü "1".png',
      'gone.md',
    ])
    for (const text of ['', '{', '{"file":7}', '{"file":"\\x"}', '{"file":""}']) expect(canvasFiles(text)).toEqual([])
  })

  it('returns the offsets of links in text nodes', () => {
    const text = String.raw`{"nodes":[
{"type":"text","text":"\"q\" \u00e9\n[[Projects\/Al\u0070ha|\ud83d\ude00]]"},
{"type":"file","file":"x.md","label":"[[no card]]"}, {"text" : "see [it](a%20b.md#c), <!-- [[hidden]] -->"},{"text":"[[\x]]"}]}`
    const links = canvasLinks(text)
    expect(links.map(({ target, label, line }) => [target, label, line])).toEqual([
      ['Projects/Alpha', '😀', 2],
      ['a b.md', undefined, 3],
    ])
    const written = links.map(({ from, to, targetFrom, targetTo }) => [
      text.slice(from, to),
      text.slice(targetFrom, targetTo),
    ])
    expect(written).toEqual([
      [String.raw`[[Projects\/Al\u0070ha|\ud83d\ude00]]`, String.raw`Projects\/Al\u0070ha`],
      ['[it](a%20b.md#c)', 'a%20b.md'],
    ])
  })

  it('a move changes only the paths', () => {
    const there = new Set(['Projects/Alpha.md', 'Projects/pic ü "1".png'])
    const move = { from: 'Projects', to: 'Old "ones"' }
    const placeOf = (path: string) => (there.has(path) ? movedPath(path, [move]) : undefined)
    const edits = rewriteCanvas(canvasFiles(canvas), placeOf)
    expect(applyEdits(canvas, edits)).toBe(
      canvas
        .replace('"Projects/Alpha.md"', () => String.raw`"Old \"ones\"/Alpha.md"`)
        .replace(String.raw`"Projects\/pic \u00fc \"1\".png"`, () => String.raw`"Old \"ones\"/pic ü \"1\".png"`),
    )
    expect(rewriteCanvas(canvasFiles(canvas), (path) => path)).toEqual([])
  })
})
