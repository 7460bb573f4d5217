import { describe, expect, it } from 'vitest'
import { transcriptText } from '../../../src/main/search/indexing/transcript-text.ts'
import type { Locale } from '../../../src/shared/contract/index.ts'
import { fillText } from '../../../src/shared/util/fill-text.ts'
import { hostTexts } from '../../../src/shared/i18n/host-texts.ts'

const answer = (text: string, provider: string) =>
  JSON.stringify({
    type: 'message',
    id: 'a',
    message: { role: 'assistant', provider, content: [{ type: 'text', text }] },
  })

const languages: readonly Locale[] = ['en', 'zh-CN', 'zh-TW']

describe('the text of a transcript', () => {
  it.each(languages)('leaves out phrases of the offline model in %s', (language) => {
    for (const sentence of Object.values(hostTexts[language].offline)) {
      const values = {
        first: '2026-01-20',
        last: '2026-01-20',
        span: '2026-01-20',
        day: '2026-01-20',
        date: '2026-01-20',
      }
      const text = fillText(sentence, { path: '10:30', ...values, count: 3, words: 'a', query: 'a', reason: 'a' })
      expect(transcriptText(answer(text, 'offline'))).toBe('')
    }
  })

  it('includes quotes of the offline model without the surrounding phrases', () => {
    const { nothingFound, found, noModel } = hostTexts['en'].offline
    const said = `${fillText(nothingFound, { query: 'fence' })}\n\n${found}\n\n> The gate code is 4711\n\n[memory/2026-01-20.md:4]\n\n${noModel}`
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
