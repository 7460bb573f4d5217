/** Ends an answer in which the model repeats itself without end. */
import { AppError } from '#shared/util/errors.ts'
import type { ChatModel } from '../model.ts'

/** Characters of the longest repeated unit. */
const maxUnit = 200
/** A unit must repeat at least this often, over at least this many characters. */
const minTimes = 12
const minLength = 600
/** Characters between two checks. */
const checkEvery = 64
/** Times that a repeated unit stays in the answer. */
const keptTimes = 3

export function withoutRepetition(model: ChatModel): ChatModel {
  return {
    ...model,
    async *stream(request, signal) {
      let text = ''
      let checkedAt = 0
      for await (const event of model.stream(request, signal)) {
        if (event.type === 'text') text += event.delta
        yield event
        if (text.length - checkedAt < checkEvery) continue
        checkedAt = text.length
        const repeated = repetitionIn(text)
        if (!repeated) continue
        const kept = text.length - repeated.length + keptTimes * repeated.unit
        throw new AppError('answer_repeats', `${model.id} repeated itself and was stopped`, { model: model.id, kept })
      }
    },
  }
}

/** Returns the length of the repetition at the end of a text and that of its unit, in characters; undefined without one. */
export function repetitionIn(text: string): { readonly length: number; readonly unit: number } | undefined {
  for (let unit = 1; unit <= maxUnit; unit += 1) {
    const needed = Math.max(minLength, minTimes * unit)
    if (text.length < needed) return undefined
    let length = unit
    while (length < text.length && text[text.length - 1 - length] === text[text.length - 1 - length + unit]) length += 1
    // A line of a table or a rule has no letters.
    if (length >= needed && /[\p{L}\p{N}]/u.test(text.slice(-unit))) return { length, unit }
  }
  return undefined
}
