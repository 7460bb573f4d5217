import { describe, expect, it } from 'vitest'
import { applyEdits } from '../../../../src/shared/markdown/links/rewrite-links.ts'
import { namesOf, rewriteLimits, parseProperties } from '../../../../src/shared/markdown/properties/parse-properties.ts'
import { propertyQuery, tagQuery } from '../../../../src/shared/markdown/properties/queries.ts'
import { parsePropertyTest, testValue, renameTag } from '../../../../src/shared/markdown/properties/property-test.ts'
import { expectLinear } from '../../../support/processor-time.ts'

const tagsOf = (text: string) => parseProperties(text).tags.map(({ name, line }) => `${name}:${line}`)

describe('tag parser', () => {
  it.each([
    // https://help.obsidian.md/tags
    ['#meeting at noon', ['meeting:1']],
    ['#1984 is none, nor is # a heading, nor ## b', []],
    ['---\ntags:\n  - recipe\n  - "#cooking"\n---\n#body', ['recipe:3', 'cooking:4', 'body:6']],
    ['---\ntags: [one, two/three]\n---\n', ['one:2', 'two/three:2']],
    // https://github.com/foambubble/foam: packages/foam-core/src/utils/hashtags.ts
    ['a#no x/#no (#no) https://x.y/#no', []],
    ['tags:: motor, [[steering wheel]], #card\n\n- text', ['motor:1', 'steering wheel:1', 'card:1']],
    // CJK text has no spaces between words.
    ['读书，#笔记 #读书/小说。还有：#想法', ['笔记:1', '读书/小说:1', '想法:1']],
    // Hidden text.
    ['`#no` ```\n#no\n``` <!-- #no --> %% #no %% [[Note #no]] [[#no]]', []],
    // Colors.
    ['#fff #a1b2c3 #FF0000AA #ffee12', []],
    // YAML with more than one key per line.
    ['---\n{tags: ["one", \'two\'], status: open}\n---\n', ['one:2', 'two:2']],
    ['---\nbase: &b [one, x]\ntags: *b\n---\n', ['one:2', 'x:2']],
    ['---\ntags: # one\n  - one\nmore: [\n---\n', ['one:3']],
    // Missing anchor.
    ['---\ntags: *none\n---\n#a', ['a:4']],
  ])('%j has %j', (text, tags) => expect(tagsOf(text)).toEqual(tags))

  it('returns the offsets of each name', () => {
    const text = '---\ntags: [a, "b\\u0062", ab]\n---\n#a `#a` #[[c d]]\r\ntags:: a, x\n'
    const { tags } = parseProperties(text)
    expect(tags.map(({ name, place }) => [name, place && text.slice(place.from, place.to)])).toEqual([
      ['a', 'a'],
      ['bb', null],
      ['ab', 'ab'],
      ['a', 'a'],
      ['c d', 'c d'],
      ['a', 'a'],
      ['x', 'x'],
    ])
  })

  it('runs in linear time for any input', () => {
    for (const piece of [
      '#',
      '#a',
      '[[',
      '#[[a ',
      'a:: ',
      '---\n',
      '- a::\n',
      '#/',
      'a: [\n',
      '，#',
      '{',
      '{a: ',
      '? ',
    ])
      for (const [length, end] of [
        [60_000, ''],
        [10_000, '\n---\n'],
      ] as const)
        expectLinear((size) => parseProperties(`---\n${piece.repeat(size / piece.length)}${end}`), length / 4, piece)
  })
})

describe('YAML alias expansion', () => {
  it('is limited if each alias has the previous one ten times', () => {
    const matter = Array.from({ length: 9 }, (_, at) => tenfold(at)).join('')
    const { properties, tags } = parseProperties(`---\n${matter}tags: &t work\nTags: *t\n---\n`)
    expect(tags.map(({ name }) => name)).toEqual(['work', 'work'])
    expect(JSON.stringify(properties).length).toBeLessThan(3_000_000)
  })

  function tenfold(at: number): string {
    return at === 0 ? 'k0: &k0 word\n' : `k${at}: &k${at} [${`*k${at - 1}, `.repeat(10)}x]\n`
  }
})

describe('property parser', () => {
  it.each([
    [
      '---\nstatus: open\nrating: 1.10\ndue: 2024-05-01\nisDone: true\n---\n',
      { status: ['open'], rating: ['1.10'], due: ['2024-05-01'], isDone: ['true'] },
    ],
    [
      '---\nauthor: "[[Ann Lee|A.]]"\nurl: https://x.y/#z\nempty:\nnone: null\n---\n',
      { author: ['Ann Lee'], url: ['https://x.y/#z'], empty: [], none: [] },
    ],
    [
      '---\nbroken: [\nfine: yes # said\n"a key": >\n  folded\n  text\n---\n',
      { fine: ['yes'], 'a key': ['folded text'] },
    ],
    [
      '---\n{status: open, list: [a, "b c"], on: 2024-05-01}\n---\n',
      { status: ['open'], list: ['a', 'b c'], on: ['2024-05-01'] },
    ],
    [
      'type:: [[Feature]]\nplatforms:: [[Mac]], [[Linux]]\nid:: 1\n\n- x\n  done_at:: "[[no link]]"',
      { type: ['Feature'], platforms: ['Mac', 'Linux'], done_at: ['[[no link]]'] },
    ],
    ['std::vector and a :: b\n`code:: no`', {}],
    ['\uFEFF---\r\nstatus: open\r\n---\r\ntext', { status: ['open'] }],
  ])('%j', (text, properties) =>
    expect(Object.fromEntries(parseProperties(text).properties.map(({ name, values }) => [name, [...values]]))).toEqual(
      properties,
    ),
  )

  it('takes note names only from the top', () => {
    const said = parseProperties('title:: A/B\nalias:: [[C]], D\n\n- x\n  alias:: no')
    expect(namesOf(said)).toEqual(['A/B', 'C', 'D'])
  })
})

describe('conditions of a property search', () => {
  it.each([
    ['open', 'Open', true],
    ['open', 'not open', false],
    ['*lee', 'Ann Lee', true],
    ['2024-05', '2024-05-31', true],
    ['>3', '10', true],
    ['<=2024-05', '2024-05-31', true],
    ['null', '', true],
  ])('%s of %s: %s', (given, value, fits) => {
    const test = parsePropertyTest(given)
    expect(test && testValue(test, value)).toBe(fits)
  })

  it.each(['', '>', '>word'])('%j is not a condition', (given) => expect(parsePropertyTest(given)).toBeUndefined())

  it.each([
    [tagQuery('a/b'), 'tag:a/b'],
    [tagQuery('steering wheel'), 'tag:"steering wheel"'],
    [propertyQuery('status', 'in progress'), '[status:in progress]'],
    [propertyQuery('status', ''), '[status:null]'],
  ])('%s', (query, written) => expect(query).toBe(written))
})

describe('renaming a tag', () => {
  it('renames the tag and its nested tags and preserves every other byte', () => {
    const text =
      '---\ntags: [work, "#Work/home", workshop]\n---\n#work #WORK/a #works [[work]] `#work` #[[work]]\ntags:: work, b\n'
    const { edits, left } = renameTag(parseProperties(text), { from: 'work', to: 'job/now' })
    expect(applyEdits(text, edits)).toBe(
      '---\ntags: [job/now, "#job/now/home", workshop]\n---\n#job/now #job/now/a #works [[work]] `#work` #[[job/now]]\ntags:: job/now, b\n',
    )
    expect(left).toEqual([])
  })

  it.each([
    [
      '---\r\n{tags: ["work", \'work/two\'], status: work} # work\r\n---\r\n',
      '---\r\n{tags: ["job", \'job/two\'], status: work} # work\r\n---\r\n',
    ],
    [
      '\uFEFF---\nbase: &b [work, x]\ntags: *b\ntag: *b\n---\n#work\n',
      '\uFEFF---\nbase: &b [job, x]\ntags: *b\ntag: *b\n---\n#job\n',
    ],
    ['---\ntags: # work\n  - work # work\n---\n', '---\ntags: # work\n  - job # work\n---\n'],
  ])("changes only the tag's text: %j", (text, renamed) => {
    const { edits, left } = renameTag(parseProperties(text), { from: 'work', to: 'job' })
    expect(applyEdits(text, edits)).toBe(renamed)
    expect(left).toEqual([])
  })

  it.each([
    ['lines', '#work item\n', 2500],
    ['properties of blocks', '- x\n  tags:: work\n', 3000],
  ])('misses none of many occurrences: %s', (_, piece, count) => {
    const text = piece.repeat(count)
    expect(parseProperties(text).isPartial).toBe(true)
    const { edits } = renameTag(parseProperties(text, rewriteLimits), { from: 'work', to: 'job' })
    expect(edits).toHaveLength(count)
    expect(applyEdits(text, edits)).toBe(text.replaceAll('work', 'job'))
  })

  it('reports lines that cannot be rewritten', () => {
    const said = parseProperties('---\ntags:\n  - "w\\u006frk"\n---\n#work\n')
    expect(renameTag(said, { from: 'work', to: 'job' }).left).toEqual([3])
  })
})
