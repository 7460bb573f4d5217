import { describe, expect, it } from 'vitest'
import { applyEdits, canvasFiles, movedPath, rewriteCanvas } from '../../../src/shared/links/index.ts'

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

describe('M67 canvases', () => {
  it('M67: names the files that a canvas shows, and nothing that its texts say', () => {
    expect(canvasFiles(canvas).map(({ path }) => path)).toEqual([
      'Projects/Alpha.md',
      'Projects/pic ü "1".png',
      'gone.md',
    ])
    for (const text of ['', '{', '{"file":7}', '{"file":"\\x"}', '{"file":""}']) expect(canvasFiles(text)).toEqual([])
  })

  it('M67: a move changes the paths alone', () => {
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
