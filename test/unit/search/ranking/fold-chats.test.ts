import { describe, expect, it } from 'vitest'
import { noFeatures } from '../../../../src/main/search/ranking/features.ts'
import { foldChats } from '../../../../src/main/search/ranking/fold-chats.ts'
import { noMargin } from '../../../../src/main/search/ranking/rank.ts'
import type { UnitVerdict } from '../../../../src/main/search/ranking/select-results.ts'
import type { UnitCandidate, UnitRanking, UnitSearcher } from '../../../../src/main/search/ranking/unit-searcher.ts'

type Given = readonly (readonly [text: string, verdict: UnitVerdict])[]

const returned = (rank: number): UnitVerdict => ({ kind: 'returned', rank })

function fold(notes: Given, chats: Given, minScore: number | null = null): UnitVerdict[] {
  const texts: string[] = []
  const rankingOf = (given: Given) => {
    const candidates = given.map(([text, verdict]): UnitCandidate => {
      const id = texts.push(text) - 1
      const scores = { logit: 0, score: 0.5, contributions: {}, adjustments: [], margin: noMargin }
      return { unit: { id, features: noFeatures, bm25: 0, wordScores: [], ...scores }, verdict }
    })
    return { candidates } as unknown as UnitRanking
  }
  const units = { embeddedTextOf: (id: number) => texts[id] } as unknown as UnitSearcher
  return foldChats(rankingOf(chats), rankingOf(notes), units, minScore).candidates.map(({ verdict }) => verdict)
}

const port: Given[number] = ['The server port is 8443 since January', returned(1)]

describe('a chat', () => {
  it.each(['The server port is 8443 since January.', 'since January, the server PORT is 8443', 'server port 8443'])(
    'that repeats a returned note is folded into it: %s',
    (text) => {
      expect(
        fold(
          [
            ['other words here', returned(1)],
            [port[0], returned(2)],
          ],
          [[text, returned(1)]],
        ),
      ).toEqual([{ kind: 'duplicate', rank: 2 }])
    },
  )

  it.each([
    ['says more', 'the server port is 9000 in Hamburg now, as Anna said'],
    ['has too few words', 'server port'],
  ])('that %s is kept', (_name, text) => {
    expect(fold([port], [[text, returned(1)]])).toEqual([returned(2)])
  })

  it.each([
    ['The rent is 1,450', 'note: the rent is 1,450'],
    ["I'm vegan", "Don't forget that I'm vegan"],
    ['房租每月 4500', '请帮我记住房租每月 4500'],
    ['房東電話 0912345678', '把房東電話 0912345678 記下來'],
  ])('is folded into the note %s, without the words that ask for it: %s', (note, text) => {
    expect(fold([[note, returned(1)]], [[text, returned(1)]])).toEqual([{ kind: 'duplicate', rank: 1 }])
    expect(fold([[note, returned(1)]], [[`${text}, Anna knows 安娜也知道`, returned(1)]])).toEqual([returned(2)])
  })

  it('counts after the notes and the chats before it', () => {
    const chats: Given = [
      ['the boat is called Persephone', returned(1)],
      [port[0], returned(2)],
      ['Anna arrives at nine on Friday', returned(3)],
    ]
    expect(fold([port, ['the rent is due in October', returned(2)]], chats)).toEqual([
      returned(3),
      { kind: 'duplicate', rank: 1 },
      returned(4),
    ])
  })

  it('is weak if the only likely chat is folded, as is all that completed it', () => {
    const chats: Given = [
      [port[0], returned(1)],
      ['please note this down now', returned(2)],
      ['and the rest', { kind: 'joined', rank: 2 }],
    ]
    expect(fold([port], chats, 0.6)).toEqual([{ kind: 'duplicate', rank: 1 }, { kind: 'weak' }, { kind: 'weak' }])
    expect(fold([port], chats, 0.4)).toEqual([{ kind: 'duplicate', rank: 1 }, returned(2), { kind: 'joined', rank: 2 }])
  })
})
