import type { RankingModels } from './unit-searcher.ts'
import withoutVectors from './weights-words.json' with { type: 'json' }
import withVectors from './weights.json' with { type: 'json' }

/** The shipped weights, fitted by `test/recall/fit-weights.ts`. */
export const rankingModels: RankingModels = { withVectors, withoutVectors }
