import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { parseQuestions, type LineRange } from '../../../src/main/search/evaluation/judged-questions.ts'
import { queryTerms } from '../../../src/main/search/query/parse-query.ts'
import { SoundIndex } from '../../../src/main/search/text/cjk-sounds.ts'
import { lettersOfSyllable, splitPinyin } from '../../../src/main/search/text/pinyin.ts'
import { bigramsOf, fold, lineTerms } from '../../../src/main/search/text/terms.ts'
import { lookAlikes } from '../../../src/main/search/text/cjk-sounds.ts'

describe('pinyin of characters', () => {
  it.each([
    ['青', ['qing'], ['jing']],
    ['霉', ['mei'], ['hui']],
    ['重', ['chong', 'zhong'], ['tong']],
    ['长', ['chang', 'zhang'], ['zang']],
    ['行', ['hang', 'heng', 'xing'], ['hing']],
    ['乐', ['le', 'yue'], ['lao']],
    ['女', ['nv'], ['ru']],
    ['略', ['lve'], ['lue']],
  ])('reads %s', (letter, syllables, others) => {
    const reads = (syllable: string) => lettersOfSyllable(syllable).has(letter)
    expect([syllables.filter(reads), others.filter(reads)]).toEqual([syllables, []])
  })
})

describe('cutting pinyin', () => {
  it.each([
    ['qingmeisu', [['qing', 'mei', 'su']]],
    ['xian', [['xian'], ['xi', 'an']]],
    ["xi'an", [['xi', 'an']]],
    ['xi an', [['xi', 'an']]],
    [
      'fangan',
      [
        ['fang', 'an'],
        ['fan', 'gan'],
      ],
    ],
    ['nv', [['nv']]],
    ['lv', [['lv']]],
    ['nü', [['nv']]],
    ['lǜ', [['lv']]],
    ['lu:', [['lv']]],
    ['lyu', [['lv']]],
    ['qing1mei2su4', [['qing', 'mei', 'su']]],
    ['Qīngméisù', [['qing', 'mei', 'su']]],
    ['women', [['wo', 'men']]],
    ['qingm', [['qing', 'm']]],
    ['wuye f', [['wu', 'ye', 'f']]],
  ])('cuts %s', (word, cuts) => {
    expect(splitPinyin(word)).toEqual(cuts)
  })

  it.each(['kelly', 'fever', 'Holt', 'str', 'sh', 'qms', 'hello world', 'g7', '2024', '青霉素', ''])(
    'does not cut %j',
    (word) => {
      expect(splitPinyin(word)).toBeUndefined()
    },
  )

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
  const alternatives = (word: string) => index.alternatives(word).map(({ term, via }) => `${term.join('')} ${via}`)

  it.each([
    ['qingmeisu', '青霉素 pinyin'],
    ['qing mei su', '青霉素 pinyin'],
    ['qingmei', '青霉 pinyin'],
    ['qingmeis', '青霉素 pinyin'],
    ['qingme', '青霉 pinyin'],
    ['wuye fei', '物业费 pinyin'],
    ['yinhang', '银行 pinyin'],
    ['chongqing', '重庆 pinyin'],
    ['xian', '西安 pinyin'],
    ['nver', '女儿 pinyin'],
    ['nu er', '女儿 pinyin'],
    ['lǜdòu', '绿豆 pinyin'],
    ['qms', '青霉素 initials'],
    ['lgh', '泸沽湖 initials'],
    ['青梅素', '青霉素 homophone'],
    ['青黴訴', '青霉素 homophone'],
    ['芳唐糖', '方糖糖 homophone'],
    ['富土', '富士 lookAlike'],
    ['らーめん', 'ラーメン kana'],
    ['ヒラガナ', 'ひらがな kana'],
    ['ㅂㅁㄱㅈ', '비밀기지 chosung'],
    ['ㅉㅅㄹ', '짝사랑 chosung'],
    ['ㄳ', '감사 chosung'],
  ])('reads %s as %s', (word, alternative) => {
    expect(alternatives(word)).toEqual([alternative])
  })

  it.each([
    'qing',
    'qingm',
    'qm',
    'kelly',
    'meeting',
    '青',
    '清新',
    '银河',
    '素青霉',
    '啤酒',
    'ビール',
    '바다',
    'ㅂ',
    '',
    '2024',
  ])('has none for %j', (word) => {
    expect(alternatives(word)).toEqual([])
  })

  it('does not return the word itself, function words, or pieces of a sentence for initials', () => {
    expect(alternatives('青霉素')).toEqual([])
    expect(alternatives('women')).toEqual([])
    expect(alternatives('dsh')).toEqual([])
  })

  it('puts one wrong character before two, and complete syllables before incomplete ones', () => {
    const notes = new SoundIndex([
      ['方糖', 9],
      ['糖塔', 9],
      ['方堂', 1],
      ['堂他', 1],
      ['青霉', 9],
      ['青么', 1],
    ])
    expect(notes.alternatives('方唐他')).toMatchObject([
      { term: ['方', '堂', '他'], weight: 0.6 },
      { term: ['方', '糖', '塔'], weight: 0.35 },
    ])
    expect(notes.alternatives('qingme').map(({ term }) => term.join(''))).toEqual(['青么', '青霉'])
  })

  it('returns at most eight, those in most documents first', () => {
    const notes = new SoundIndex([...'是时事市师石食使室'].map((letter, index) => [`城${letter}`, index + 1] as const))
    const found = notes.alternatives('chengshi').map(({ term }) => term.join(''))
    expect(found).toHaveLength(8)
    expect(found.slice(0, 2)).toEqual(['城室', '城使'])
  })

  it('asks whether longer terms occur as a whole', () => {
    const notes = new SoundIndex([
      ['青霉', 1],
      ['霉素', 1],
    ])
    expect(notes.alternatives('qingmeisu', () => false)).toEqual([])
    expect(notes.alternatives('qingmei', () => false)).toHaveLength(1)
  })

  it('ignores terms of the index that are not bigrams', () => {
    const notes = new SoundIndex([
      ['青', 1],
      ['青霉素', 1],
      ['mei', 1],
    ])
    expect(notes.alternatives('qingmei')).toEqual([])
  })
})

describe('look-alike characters', () => {
  it('are different simplified characters', () => {
    const groups = lookAlikes.trim().split(/\s+/)
    expect(groups.filter((group) => fold(group) !== group || new Set(group).size !== group.length)).toEqual([])
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

  it.each(['房贷利率', '瑜伽课', '钢琴', '酒店', '无人机', 'Jessica', 'yujia', 'wurenji', 'gangqin'])(
    'finds nothing for %s',
    (query) => {
      expect(queryTerms(query).flatMap(({ shown }) => index.alternatives(shown, isIndexed))).toEqual([])
    },
  )
})
