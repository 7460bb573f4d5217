import { setImmediate } from 'node:timers/promises'
import { cosinesWith, tokenEncoder, vectorOf } from './digest.ts'
import { openBuiltinModel } from './builtin-model.ts'
import { explainCosine, similarityTo } from './similarity.ts'
import { foldText, hashOf } from './tokenizer.ts'
import { dot, embedText } from './embed-text.ts'
import { unlessAppError } from '#platform'
import type { EmbeddingProvider, SimilarityModel, RelatedWord } from '../embedding-provider.ts'

/** Part of an index's identity: a new model needs a new name. */
export const builtinModelName = 'commonplace-3'
const batchSize = 128

/** @param file of the model, opened on first use */
export function createBuiltinEmbeddings(file: string): EmbeddingProvider {
  let dimensions = 0
  return {
    provider: 'builtin',
    model: builtinModelName,
    get dimensions() {
      return dimensions
    },
    batchSize,
    async embed(texts, signal) {
      const model = openBuiltinModel(file)
      dimensions = model.dimensions
      const vectors = texts.map((text) => embedText(model, text))
      // Yields to other tasks of this thread between batches.
      if (texts.length > 1) await setImmediate()
      signal?.throwIfAborted()
      return vectors
    },
    prepare: () => void openBuiltinModel(file),
    // The model treats Han characters as Chinese words; in Japanese and Korean they mean something else.
    understands: (text) => !/[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u.test(text),
    similarity: builtinSimilarity(file),
    explain: (question, passage) => explainCosine(openBuiltinModel(file), question, passage),
    related: (word) => relatedWords(file, word),
    wordCosine: (one, other) => dot(embedText(openBuiltinModel(file), one), embedText(openBuiltinModel(file), other)),
  }
}

/** @param file of the model, opened on first use */
export function builtinSimilarity(file: string): SimilarityModel {
  let digestOf: SimilarityModel['digestOf'] | undefined
  return {
    digestOf(passage) {
      digestOf ??= tokenEncoder(openBuiltinModel(file))
      return digestOf(passage)
    },
    vectorOf: (passage) => vectorOf(openBuiltinModel(file), passage),
    cosinesWith: (vector) => cosinesWith(openBuiltinModel(file), vector),
    similarityTo: (question) => similarityTo(openBuiltinModel(file), question),
  }
}

/** Returns an empty list if the model can't be opened: the provider's health reports that error. */
function relatedWords(file: string, word: string): RelatedWord[] {
  const model = unlessAppError(() => openBuiltinModel(file))
  if (!model) return []
  const folded = foldText(word, model.folds)
  const token = model.find(hashOf(folded), folded.length)
  if (token < 0) return []
  return model.related(token).map((related) => ({ word: model.textOf(related.token), cosine: related.cosine }))
}
