import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { parseQuestions, type LineRange } from '../../../src/main/search/evaluation/judged-questions.ts'
import { queryTerms } from '../../../src/main/search/query/parse-query.ts'
import { SoundIndex, lettersOfSyllable, splitPinyin } from '../../../src/main/search/text/cjk-sounds.ts'
import { bigramsOf, fold, lineTerms } from '../../../src/main/search/text/terms.ts'

describe('pinyin of characters', () => {
  it.each([
    ['青', ['qing'], ['jing']],
    ['重', ['chong', 'zhong'], ['tong']],
    ['女', ['nv'], ['ru']],
  ])('reads %s', (letter, syllables, others) => {
    const reads = (syllable: string) => lettersOfSyllable(syllable).has(letter)
    expect([syllables.filter(reads), others.filter(reads)]).toEqual([syllables, []])
  })
})

describe('cutting pinyin', () => {
  it.each([
    ['qingmeisu', [['qing', 'mei', 'su']]],
    ['xian', [['xian'], ['xi', 'an']]],
    [
      'fangan',
      [
        ['fang', 'an'],
        ['fan', 'gan'],
      ],
    ],
    ['nü', [['nv']]],
  ])('cuts %s', (word, cuts) => {
    expect(splitPinyin(word)).toEqual(cuts)
  })

  it.each(['kelly', 'str', 'qms', '2024', ''])('does not cut %j', (word) => {
    expect(splitPinyin(word)).toBeUndefined()
  })

  it('limits the ways to cut a long word', () => {
    expect(splitPinyin('xianxianxianxianxianxian')?.length).toBeLessThanOrEqual(12)
    expect(splitPinyin('xian'.repeat(100))).toBeUndefined()
  })
})

describe('alternatives', () => {
  const text = `青霉素 泸沽湖 物业费 银行 重庆 西安 女儿 绿豆 期末考试 富士 牛轭湖 方糖糖 的时候 在家 我们
    ラーメン ひらがな 비밀기지 읽기 짝사랑 감사`
  const runs = text.split(/\s+/)
  const index = new SoundIndex(runs.flatMap((run) => bigramsOf([...run]).map((bigram) => [bigram, 1] as const)))
  const alternatives = (word: string) => index.alternatives(word).map(({ term }) => term.join(''))

  it.each([
    ['qingmeisu', '青霉素'],
    ['qms', '青霉素'],
    ['青梅素', '青霉素'],
    ['富土', '富士'],
    ['ㅂㅁㄱㅈ', '비밀기지'],
  ])('reads %s as %s', (word, alternative) => {
    expect(alternatives(word)).toEqual([alternative])
  })

  it.each(['qing', 'kelly', '青', '素青霉', 'ㅂ'])('has none for %j', (word) => {
    expect(alternatives(word)).toEqual([])
  })

  it('does not return the word itself, function words, or pieces of a sentence for initials', () => {
    expect(alternatives('青霉素')).toEqual([])
    expect(alternatives('women')).toEqual([])
    expect(alternatives('dsh')).toEqual([])
  })

  it('asks whether longer terms occur as a whole', () => {
    const notes = new SoundIndex([
      ['青霉', 1],
      ['霉素', 1],
    ])
    expect(notes.alternatives('qingmeisu', () => false)).toEqual([])
    expect(notes.alternatives('qingmei', () => false)).toHaveLength(1)
  })
})

describe('everyday notes', () => {
  const folder = fileURLToPath(new URL('../../recall/everyday-zh/', import.meta.url))
  const workspace = join(folder, 'workspace')
  const lines = (path: string) => readFileSync(join(workspace, path), 'utf8').split('\n')
  const paths = readdirSync(workspace, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.md'))
  const runs = paths.flatMap((path) => lines(path).flatMap((line) => lineTerms(line).runs))
  const counts = new Map<string, number>()
  for (const run of runs) for (const bigram of bigramsOf([...run])) counts.set(bigram, (counts.get(bigram) ?? 0) + 1)
  const index = new SoundIndex(counts)
  const isIndexed = (term: readonly string[]) => runs.some((run) => run.includes(term.join('')))
  const textOf = ({ path, startLine, endLine }: LineRange) =>
    fold(
      lines(path)
        .slice(startLine - 1, endLine)
        .join('\n'),
    )
  const file = join(folder, 'queries.jsonl')
  const questions = parseQuestions(readFileSync(file, 'utf8'), file).filter(
    ({ query, category = '' }) => category === 'pinyin' || (category === 'typo' && /\p{Script=Han}/u.test(query)),
  )

  it.each(questions)('finds a word of the judged lines for $query', ({ query, relevant }) => {
    // Wrong characters also make wrong words: 豆瓣渔 is cut into 豆瓣 and 渔.
    const words = [query, ...lineTerms(query).runs, ...queryTerms(query).map(({ shown }) => shown)]
    const found = words.flatMap((word) => index.alternatives(word, isIndexed)).map(({ term }) => term.join(''))
    expect(relevant.some((range) => found.some((word) => textOf(range).includes(word)))).toBe(true)
  })

  it.each(['房贷利率', '酒店', 'Jessica', 'yujia'])('finds nothing for %s', (query) => {
    expect(queryTerms(query).flatMap(({ shown }) => index.alternatives(shown, isIndexed))).toEqual([])
  })
})
