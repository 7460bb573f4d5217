import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, it } from 'vitest'
import { rank, type RankedUnit, type RankingWeights } from '../../../../src/main/search/ranking/rank.ts'
import { fitWeights, type FitQuestion } from '../../../recall/fit.ts'
import { openUnitSet, type UnitSet } from '../../../recall/unit-set.ts'

const folder = fileURLToPath(new URL('../../../recall/everyday-en', import.meta.url))

describe('the weights fitted on every second question', () => {
  let set: UnitSet
  let answered: FitQuestion[]
  let unanswered: FitQuestion[]
  let weights: RankingWeights

  beforeAll(async () => {
    set = await openUnitSet(folder)
    const ask = async (questions: UnitSet['questions']) => {
      const asked: FitQuestion[] = []
      for (const question of questions.filter((_, at) => at % 2 === 0))
        asked.push({ ...(await set.ask(question)), weight: 1 })
      return asked
    }
    answered = await ask(set.questions)
    unanswered = await ask(set.offTopic)
    weights = fitWeights(answered, unanswered)
  }, 60_000)

  const shareOf = (isFound: (ranked: RankedUnit[], answers: ReadonlySet<number>) => boolean) => {
    const found = answered.filter(({ candidates, isAnswer }) => {
      const answers = new Set(candidates.filter((_, at) => isAnswer[at]).map(({ id }) => id))
      return isFound(rank(candidates, weights), answers)
    })
    return found.length / answered.length
  }

  it('are the same in every run', () => {
    expect(fitWeights(answered, unanswered)).toEqual(weights)
  })

  it('put a judged line among the first three units', () => {
    expect(answered.length).toBeGreaterThan(100)
    expect(shareOf((ranked, answers) => ranked.slice(0, 3).some(({ id }) => answers.has(id)))).toBeGreaterThanOrEqual(
      0.9,
    )
  })

  it('put a judged line within 800 characters', () => {
    const share = shareOf((ranked, answers) => {
      let used = 0
      for (const { id } of ranked) {
        used += set.place(id).text.replace(/\s+/g, ' ').length
        if (answers.has(id)) return used <= 800
      }
      return false
    })
    expect(share).toBeGreaterThanOrEqual(0.9)
  })

  it('find questions with an answer more probable than those without', () => {
    const mean = (questions: FitQuestion[]) => {
      const all = questions.map(({ candidates }) => rank(candidates, weights)[0]?.score ?? 0)
      return all.reduce((sum, value) => sum + value, 0) / all.length
    }
    expect(mean(answered) - mean(unanswered)).toBeGreaterThan(0.3)
  })
})
