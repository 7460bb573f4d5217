import { describe, expect, it } from 'vitest'
import { areaOf, fieldsOf } from '../../../src/renderer/curation/insights/treemap-layout.ts'
import type { SurveyedFile } from '../../../src/shared/contract/index.ts'

const file = (path: string, size = 10): SurveyedFile => ({
  path,
  size,
  lines: 1,
  recalls: 0,
  recalledAt: null,
  modifiedAt: 0,
  isInContext: false,
})
const many = (folder: string, count: number) =>
  Array.from({ length: count }, (_, number) => file(`${folder}/n${number}.md`))

describe('M44 fields of the map', () => {
  it('M44: few files have a field each', () => {
    expect(
      fieldsOf([file('a.md'), file('b/c.md')], '')
        .map(({ path }) => path)
        .sort(),
    ).toEqual(['a.md', 'b/c.md'])
  })

  it('M44: thousands are their folders; every file is counted once, and none holds most of them', () => {
    const files = Array.from({ length: 12 }, (_, at) => many(`Area ${at}`, 500)).flat()
    const fields = fieldsOf(files, '')
    expect(fields.length).toBeLessThanOrEqual(300)
    expect(fields.reduce((sum, { count }) => sum + count, 0)).toBe(files.length)
    expect(Math.max(...fields.map(({ count }) => count))).toBeLessThanOrEqual(500)
    expect(fields.some(({ kind, path }) => kind === 'folder' && path === 'Area 11/')).toBe(true)
  })

  it('M44: one very large file leaves the others room to be seen, and an empty one has some, too', () => {
    const [huge, small, none] = [areaOf(5_000_000), areaOf(2000), areaOf(0)]
    expect(huge / small).toBeLessThan(60)
    expect(huge).toBeGreaterThan(small)
    expect(none).toBeGreaterThan(0)
    expect(small / none).toBeLessThan(4)
  })

  it('M44: within a folder, only what lies in it; the smaller files of one folder share a field', () => {
    const files = [...many('A', 200), file('A/deep/x.md'), file('B/y.md')]
    const fields = fieldsOf(files, 'A/')
    expect(fields.find(({ kind }) => kind === 'rest')).toMatchObject({ count: 140 })
    expect(fields.some(({ path }) => path.startsWith('B/'))).toBe(false)
  })
})
