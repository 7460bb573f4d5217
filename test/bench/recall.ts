/** Measures what a search shows of the project's judged sets, at the default and the classic settings. */
import { fileURLToPath } from 'node:url'
import { searchModes } from '#shared/contract/search.ts'
import { formatResult } from '#shared/util/format-result.ts'
import { isHit } from '../../src/main/search/evaluation/judged-questions.ts'
import { defaults } from '../recall/judged-set.ts'
import { classicLimits, openUnitSearch } from '../recall/unit-set.ts'
import type { Figure } from './figures.ts'

const sets = ['everyday-en', 'everyday-zh']
const modes = {
  default: { limits: { ...defaults, minScore: null }, chunking: undefined },
  classic: { limits: classicLimits, chunking: searchModes.classic.chunking },
}

export async function measureRecall(): Promise<Figure[]> {
  const figures: Figure[] = []
  for (const set of sets)
    for (const [mode, { limits, chunking }] of Object.entries(modes)) {
      const folder = fileURLToPath(new URL(`../recall/${set}`, import.meta.url))
      const { questions, offTopic, search } = await openUnitSearch(folder, undefined, true, chunking)
      let [first, shown, characters, answered] = [0, 0, 0, 0]
      for (const { query, relevant } of questions) {
        const results = await search(query, limits)
        const hits = results.map((result) => relevant.some((lines) => isHit(result, lines)))
        if (hits[0]) first += 1
        if (hits.includes(true)) shown += 1
        characters += results.reduce((sum, result) => sum + formatResult(result).length + 1, 0)
      }
      for (const { query } of offTopic) if ((await search(query, limits)).length > 0) answered += 1
      const name = (figure: string) => `${set}, ${mode}: ${figure}`
      figures.push(
        { name: name('judged line first'), value: first / questions.length, unit: 'share' },
        { name: name('judged line shown'), value: shown / questions.length, unit: 'share' },
        { name: name('characters of a search'), value: characters / questions.length, unit: 'characters' },
        { name: name('off-topic questions answered'), value: answered / offTopic.length, unit: 'share' },
      )
    }
  return figures
}
