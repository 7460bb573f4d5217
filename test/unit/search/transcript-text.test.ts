import { describe, expect, it } from 'vitest'
import { transcriptText } from '../../../src/main/search/indexing/transcript-text.ts'
import { type Language, sentencesIn } from '../../../src/main/llm/offline/sentences.ts'

const answer = (text: string, provider: string) =>
  JSON.stringify({
    type: 'message',
    id: 'a',
    message: { role: 'assistant', provider, content: [{ type: 'text', text }] },
  })

const languages: readonly Language[] = ['en', 'zh-Hans', 'zh-Hant']

describe('the text of a transcript', () => {
  it.each(languages)('leaves out phrases of the offline model in %s', (language) => {
    for (const sentence of Object.values(sentencesIn(language))) {
      const text =
        typeof sentence === 'string'
          ? sentence
          : (sentence as (...values: unknown[]) => string)('2026-01-20', '2026-01-20', '10:30')
      expect(transcriptText(answer(text, 'offline'))).toBe('')
    }
  })

  it('includes quotes of the offline model without the surrounding phrases', () => {
    const { nothingFound, found, noModel } = sentencesIn('en')
    const said = `${nothingFound('fence')}\n\n${found}\n\n> The gate code is 4711\n\n[memory/2026-01-20.md:4]\n\n${noModel}`
    expect(transcriptText(answer(said, 'offline'))).toBe(
      '- Assistant: > The gate code is 4711 [memory/2026-01-20.md:4]',
    )
  })

  it('has all that another model says', () => {
    expect(transcriptText(answer('I found nothing wrong with it.', 'anthropic'))).toBe(
      '- Assistant: I found nothing wrong with it.',
    )
  })
})
