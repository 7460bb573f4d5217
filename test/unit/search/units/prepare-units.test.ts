import { describe, expect, it } from 'vitest'
import { builtinSimilarity } from '../../../../src/main/search/embeddings/builtin/builtin-provider.ts'
import type { ResultSource } from '../../../../src/main/search/indexing/indexed-file.ts'
import { prepareUnits, type UnitSettings } from '../../../../src/main/search/units/prepare-units.ts'
import { flagsOf, unitFlags } from '../../../../src/main/search/units/unit-schema.ts'
import { resolveRules, rulesForFolder } from '../../../../src/main/workspace/privacy/index.ts'

const plain: UnitSettings = { folders: [] }

function fileOf(text: string, path = 'note.md', source: ResultSource = 'memory') {
  return { path, source, text, hash: 'h', mtime: 0, size: 0 }
}

const contentOf = (text: string) => prepareUnits(fileOf(text), plain).contents[0]
describe('flags', () => {
  const has = (flag: keyof typeof unitFlags, text: string) => (flagsOf(text) & unitFlags[flag]) !== 0

  it.each<[keyof typeof unitFlags, string[], string[]]>([
    ['asks', ['Why?', '为什么？', 'Is it new? [image of a car]'], ['Why? Because.', '[a question?]']],
    ['hasNumber', ['it has 3 rooms', 'two of them', '三个'], ['someone came', 'rooms']],
    ['hasTime', ['last week', '昨天去了', '先週', '어제', 'at 10:30', '2020年'], ['the lasting peace', '今']],
    ['isFirstPerson', ["I'm here", 'in my house', '我在这里'], ['he is here', 'Ivy']],
  ])('sets %s', (flag, yes, no) => {
    for (const text of yes) expect(has(flag, text), text).toBe(true)
    for (const text of no) expect(has(flag, text), text).toBe(false)
  })

  it('marks superseded units, whose text is searched without date and quotation', () => {
    const text = '- ~~The boiler is old~~ (until 2026-03-09, now: [b.md:3] “The oven is new”)'
    expect(contentOf(text)?.flags).toBe(unitFlags.isSuperseded)
    expect(contentOf(text)?.terms.split(' ').sort()).toEqual(contentOf('The boiler is old')?.terms.split(' ').sort())
  })
})

describe('privacy', () => {
  const privateTexts = (text: string, path = 'note.md', rules: string[] = []) => {
    const privateRules = rulesForFolder('/notes', resolveRules('/notes', rules))
    const folders = [{ prefix: '', privateRules }]
    const { units } = prepareUnits(fileOf(text, path), { folders })
    return units.filter(({ isPrivate }) => isPrivate).map((unit) => unit.text)
  }

  it('marks units of a local section, item or note', () => {
    expect(privateTexts('# A ^[local]\none\n# B\ntwo')).toEqual(['one'])
    expect(privateTexts('- one ^[local]\n  - two\n- three')).toEqual(['one ^[local]', 'two'])
    expect(privateTexts('---\nvisibility: local\n---\none')).toEqual(['visibility: local', 'one'])
    expect(privateTexts('one')).toEqual([])
  })

  it('marks units of a path that a rule covers', () => {
    expect(privateTexts('one', 'diary/a.md', ['diary/'])).toEqual(['one'])
    expect(privateTexts('one', 'other/a.md', ['diary/'])).toEqual([])
  })

  it('finds local lines after every kind of line end', () => {
    for (const end of ['\n', '\r\n', '\r'])
      expect(privateTexts(['\uFEFFone', '', 'two ^[local]', '', 'three'].join(end))).toEqual(['two ^[local]'])
  })
})

describe('preparing', () => {
  const text = '# House\n- The boiler is old\n- 数据库在哪里？\n\n- The boiler is old'

  it('leaves out the contents of known units and repeats none', () => {
    const all = prepareUnits(fileOf(text), plain)
    expect(all.contents.map(({ hash }) => hash)).toEqual([all.units[0]?.hash, all.units[1]?.hash])
    const others = prepareUnits(fileOf(text), plain, new Set([all.contents[0]?.hash ?? '']))
    expect(others.units).toEqual(all.units)
    expect(others.contents).toEqual(all.contents.slice(1))
  })

  it('has no vectors if the model cannot be loaded', () => {
    const settings = { model: builtinSimilarity('/missing/model.bin'), folders: [] }
    expect(prepareUnits(fileOf(text), settings)).toMatchObject({ vectors: undefined, contents: [{}, {}] })
  })
})
