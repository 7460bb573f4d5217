import { describe, expect, it } from 'vitest'
import { foldText, forEachToken } from '../../../../src/main/search/embeddings/builtin/embed-text.ts'

const vocabulary = [
  'boat',
  'house',
  'houseboat',
  'play',
  '##ing',
  '##s',
  '##boat',
  '房',
  '房租',
  '租',
  'ab',
  'abc',
  '##d',
  '3',
]
const table = {
  folds: new Map([['貓', '猫']]),
  numbers: new Map(vocabulary.map((token, number) => [token, number])),
}

function read(text: string): string {
  const folded = foldText(text, table.folds)
  const found: string[] = []
  forEachToken(folded, table, (token, start, end) =>
    found.push(`${vocabulary[token] ?? '?'}<${folded.slice(start, end)}`),
  )
  return found.join(' ')
}

describe('tokenizer of the built-in model', () => {
  it.each([
    ['Boat, HOUSE!', 'boat<boat house<house'],
    ['playing boats', 'play<playing ##ing<playing boat<boats ##s<boats'],
    ['abcd', 'abc<abcd ##d<abcd'],
    ['bòat ｂｏａｔ', 'boat<boat boat<boat'],
    ['房租3', '房租<房租 3<3'],
    ['貓', '?<猫'],
    ['boat房x', 'boat<boat 房<房 ?<x'],
  ])('cuts %j into %s', (text, expected) => {
    expect(read(text)).toBe(expected)
  })

  it('reads only the beginning of a very long word', () => {
    expect(read('boat'.repeat(100_000)).match(/boat</g)).toHaveLength(10)
  })
})
