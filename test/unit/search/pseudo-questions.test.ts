import { describe, expect, it } from 'vitest'
import {
  distinct,
  pseudoQuestions,
  scriptOf,
  type SampledPassage,
} from '../../../src/main/search/ranking/pseudo-questions.ts'

const passage = (file: string, heading: string, body: string, next?: string): SampledPassage => ({
  file,
  heading,
  body,
  next,
})

describe('synthetic questions', () => {
  it('detects the main script of a text', () => {
    expect(
      ['the boiler', '锅炉在地下室', '보일러', 'ボイラー', 'котёл', 'v2.3', '升级 PostgreSQL 到十六'].map(scriptOf),
    ).toEqual(['latin', 'cjk', 'cjk', 'cjk', 'other', 'latin', 'cjk'])
  })

  it('a question names the two rarest words of a passage, in its script, and its file', () => {
    const { probes } = pseudoQuestions([
      passage('a.md', '', 'The garden has a pergola and a cistern'),
      passage('b.md', '', 'The garden has a hammock and a trellis'),
      passage('c.md', '', '花园里有凉亭和水井'),
    ])
    expect(probes).toEqual([
      { script: 'latin', file: 'a.md', text: 'What does she like about cistern and pergola?' },
      { script: 'latin', file: 'b.md', text: 'What does she like about hammock and trellis?' },
      { script: 'cjk', file: 'c.md', text: expect.stringMatching(/^她喜欢.+和.+的什么？$/) },
    ])
  })

  it('pairs a passage with the next one or its heading, in the same script only', () => {
    const { pairs } = pseudoQuestions([
      passage('a.md', 'Boiler service', 'The plumber came on Monday', 'He changed the valve'),
      passage('b.md', 'Boiler service', 'The plumber came on Tuesday'),
      passage('c.md', 'Boiler', 'The plumber came on Friday'),
      passage('d.md', '锅炉维修记录', 'The plumber came on Sunday', '他换了阀门'),
    ])
    expect(pairs).toEqual([
      { script: 'latin', one: 'The plumber came on Monday', other: 'He changed the valve' },
      { script: 'latin', one: 'Boiler service', other: 'The plumber came on Tuesday' },
    ])
  })

  it('makes at most 64 questions and 48 pairs per script', () => {
    const many = Array.from({ length: 200 }, (_, index) => [
      passage(`${index}.md`, '', `wordy${index} thingy${index} again`, `another sentence ${index}`),
      passage(`zh${index}.md`, '', `苹果${index}在桌子上面`, `香蕉${index}在椅子下面`),
    ]).flat()
    const { probes, pairs } = pseudoQuestions(many)
    for (const script of ['latin', 'cjk']) {
      expect(probes.filter((one) => one.script === script)).toHaveLength(64)
      expect(pairs.filter((one) => one.script === script)).toHaveLength(48)
    }
    expect(pseudoQuestions(many)).toEqual({ probes, pairs })
  })

  it('does not prefer long files', () => {
    const long = Array.from({ length: 500 }, (_, at) => passage('long.md', '', `chapter${at} about whales${at}`))
    const others = ['pergola cistern', 'hammock trellis', 'violin concert'].map((words, at) =>
      passage(`${at}.md`, '', `The ${words}`),
    )
    const files = pseudoQuestions([...long, ...others]).probes.map(({ file }) => file)
    expect(files.slice(0, 4).toSorted()).toEqual(['0.md', '1.md', '2.md', 'long.md'])
    expect(files).toHaveLength(64)
  })

  it('skips notes that follow one pattern if there are others', () => {
    const logs = Array.from({ length: 20 }, (_, at) =>
      passage(`log${at}.md`, '', `Talked with Alice about budget ${at}`),
    )
    const others = ['pergola cistern', 'hammock trellis', 'violin concert'].map((words, at) =>
      passage(`${at}.md`, '', `The ${words}`),
    )
    const { probes } = pseudoQuestions([...logs, ...others])
    expect(probes.map(({ file }) => file)).toEqual(['0.md', '1.md', '2.md'])
    expect(pseudoQuestions(logs).probes).toHaveLength(20)
  })

  it('treats lines of a file that differ only in numbers as one', () => {
    const one = (file: string, text: string) => ({ file, text })
    const lines = [1, 2, 3].map((at) => one('a.md', `line ${at} of 3: all is well`))
    const rest = [
      one('b.md', 'line 1 of 3: all is well'),
      one('a.md', 'gadget1 is here'),
      one('a.md', 'gadget2 is here'),
    ]
    expect(distinct([...lines, ...rest])).toEqual([lines[0], ...rest])
  })
})
