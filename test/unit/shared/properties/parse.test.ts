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
    [
      'text #inbox/to-read, #y1984 #snake_case #kebab-case',
      ['inbox/to-read:1', 'y1984:1', 'snake_case:1', 'kebab-case:1'],
    ],
    ['#1984 is none, nor is # a heading, nor ## b', []],
    ['# a heading\n## #in one', ['in:2']],
    ['---\ntags:\n  - recipe\n  - "#cooking"\n---\n#body', ['recipe:3', 'cooking:4', 'body:6']],
    ['---\ntags: [one, two/three]\n---\n', ['one:2', 'two/three:2']],
    ['---\ntags: one, two three\n---\n', ['one:2', 'two:2', 'three:2']],
    ['---\nTag: one\nother: #no\n---\n', ['one:2']],
    ['---\ntags: 2024\n---\n', []],
    // https://github.com/foambubble/foam: packages/foam-core/src/utils/hashtags.ts
    ['a#no x/#no (#no) https://x.y/#no', []],
    ['#🎉 and #a🎉b', ['🎉:1', 'a🎉b:1']],
    // https://docs.logseq.com/#/page/tags, properties
    ['- text #[[several words]]', ['several words:1']],
    ['tags:: motor, [[steering wheel]], #card\n\n- text', ['motor:1', 'steering wheel:1', 'card:1']],
    ['- block\n  tags:: a, b', ['a:2', 'b:2']],
    // CJK text has no spaces between words.
    ['读书，#笔记 #读书/小说。还有：#想法', ['笔记:1', '读书/小说:1', '想法:1']],
    // Hidden text.
    ['`#no` ```\n#no\n``` <!-- #no --> %% #no %% [[Note #no]] [[#no]]', []],
    ['```\n#no\n```\n    #no\n\n#yes', ['yes:6']],
    // Colors.
    ['#fff #a1b2c3 #FF0000AA #ffee12', []],
    ['#add #face #cafe', ['add:1', 'face:1', 'cafe:1']],
    ['#trailing/ #a//b', ['trailing:1']],
    // YAML with more than one key per line.
    ['---\n{tags: ["one", \'two\'], status: open}\n---\n', ['one:2', 'two:2']],
    ['---\n# said\n{\ntags: one two,\n"a b": x\n}\n---\n#y', ['one:4', 'two:4', 'y:8']],
    ['---\nbase: &b [one, x]\ntags: *b\n---\n', ['one:2', 'x:2']],
    ['---\nname: &n one\ntags:\n  - *n\n  - y\n---\n', ['one:2', 'y:5']],
    ['---\nbase: &b\n  tags: [one]\n<<: *b\nalso: 1\n---\n', ['one:3']],
    ['---\n  tags: [one]\n---\n', ['one:2']],
    ['---\n? tags\n: [one]\n---\n', ['one:3']],
    ['---\ntags: # one\n  - one\nmore: [\n---\n', ['one:3']],
    // Missing anchor.
    ['---\ntags: *none\n---\n#a', ['a:4']],
    ['---\ntags: &t [*t]\n---\n#a', ['a:4']],
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
  it.each([
    ['each alias ten times the previous one', Array.from({ length: 9 }, (_, at) => tenfold(at)).join('')],
    ['one list, a thousand times', `a: &a [${'word, '.repeat(2000)}x]\nb: [${'*a, '.repeat(10_000)}x]\n`],
    ['one word, ten thousand times', `a: &a word\nb: [${'*a, '.repeat(10_000)}x]\n`],
  ])('%s', (_, matter) => {
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
    ['---\nlist:\n- a b\n- "c: d"\nin: [x, 2]\n---\n', { list: ['a b', 'c: d'], in: ['x', '2'] }],
    [
      '---\nbroken: [\nfine: yes # said\n"a key": >\n  folded\n  text\n---\n',
      { fine: ['yes'], 'a key': ['folded text'] },
    ],
    [
      '---\n{status: open, list: [a, "b c"], on: 2024-05-01}\n---\n',
      { status: ['open'], list: ['a', 'b c'], on: ['2024-05-01'] },
    ],
    [
      '---\nfirst: &f [a, b]\nstatus: *f\nplain: 1.10\n---\n',
      { first: ['a', 'b'], status: ['a', 'b'], plain: ['1.10'] },
    ],
    ['---\nnested:\n  a: 1\n状态: 进行中\n---\n', { nested: ['{"a":"1"}'], 状态: ['进行中'] }],
    [
      'type:: [[Feature]]\nplatforms:: [[Mac]], [[Linux]]\nid:: 1\n\n- x\n  done_at:: "[[no link]]"',
      { type: ['Feature'], platforms: ['Mac', 'Linux'], done_at: ['[[no link]]'] },
    ],
    ['on:: [[Feb 21, 2017]]\nby:: [[A]] #b\n', { on: ['Feb 21, 2017'], by: ['A', '#b'] }],
    ['std::vector and a :: b\n`code:: no`', {}],
    ['\uFEFF---\r\nstatus: open\r\n---\r\ntext', { status: ['open'] }],
    ['text\n---\nno: front matter\n---\n', {}],
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
    ['[[Ann]]', 'ann', true],
    ['*lee', 'Ann Lee', true],
    ['2024-05', '2024-05-31', true],
    ['2024', '20240', false],
    ['>3', '10', true],
    ['>3', '3', false],
    ['<=2024-05', '2024-05-31', true],
    ['<2024-05-02', '2024-05-01T10:00', true],
    ['>3', 'many', false],
    ['null', '', true],
    ['*', '', true],
  ])('%s of %s: %s', (given, value, fits) => {
    const test = parsePropertyTest(given)
    expect(test && testValue(test, value)).toBe(fits)
  })

  it.each(['', '>', '>word'])('%j is not a condition', (given) => expect(parsePropertyTest(given)).toBeUndefined())

  it.each([
    [tagQuery('a/b'), 'tag:a/b'],
    [tagQuery('steering wheel'), 'tag:"steering wheel"'],
    [propertyQuery('status', 'open'), 'status:open'],
    [propertyQuery('status', 'in progress'), '[status:in progress]'],
    [propertyQuery('source', 'web'), '[source:web]'],
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
    ['---\nown: &w work\ntags: [*w, *w, work/x]\n---\n', '---\nown: &w job\ntags: [*w, *w, job/x]\n---\n'],
    ['---\ntags: # work\n  - work # work\n---\n', '---\ntags: # work\n  - job # work\n---\n'],
    ['---\ntags: >- # work\n  work\n---\n', '---\ntags: >- # work\n  job\n---\n'],
  ])("changes only the tag's text: %j", (text, renamed) => {
    const { edits, left } = renameTag(parseProperties(text), { from: 'work', to: 'job' })
    expect(applyEdits(text, edits)).toBe(renamed)
    expect(left).toEqual([])
  })

  it.each([
    ['lines', '#work item\n', 2500],
    ['rows of a table', '| #work | x |\n', 8000],
    ['one long line', '#work and ', 100_000],
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
