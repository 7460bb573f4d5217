import { describe, expect, it } from 'vitest'
import { formatDay } from '../../../src/main/search/text/language/dates.ts'
import { parseIntent, type Intent } from '../../../src/main/llm/offline/intent.ts'
import type { Locale } from '../../../src/shared/contract/index.ts'
import { replyLanguage } from '../../../src/main/llm/offline/sentences.ts'
import { phrases } from './offline-phrases.ts'

const today = '2026-11-18'

interface Phrase {
  readonly language: Locale
  readonly intent: string
  readonly message: string
  /** The note, or the first and last day; empty for the other intents. */
  readonly content: string
}

function phrasesIn(language: keyof typeof phrases): Phrase[] {
  const lines = phrases[language].trim().split('\n')
  return lines.map((line) => {
    const [intent = '', message = '', content = ''] = line.split(' | ').map((part) => part.replaceAll('⏎', '\n'))
    return { language, intent, message, content }
  })
}

/** Returns the error in understanding a phrase; undefined if there is none. */
function fault({ language, intent, message, content }: Phrase): string | undefined {
  const got = parseIntent(message, today)
  const found = [intentOf(got), contentOf(got)]
  if (found[0] !== intent) return `is ${found[0]}${found[1] ? ` (${found[1]})` : ''}, not ${intent}`
  if (intent === 'save' || intent === 'period') {
    if (plain(found[1] ?? '') !== plain(content)) return `holds ${found[1]}, not ${content}`
  }
  // The interface is set to the language of the table.
  const reply = replyLanguage([message], language)
  return reply === language ? undefined : `is answered in ${reply}`
}

function intentOf({ kind }: Intent): string {
  if (kind === 'keywords') return 'question'
  return kind === 'remember' ? 'save' : kind
}

function contentOf(got: Intent): string {
  if (got.kind === 'remember') return got.text
  return got.kind === 'period' ? `${formatDay(got.first)} ${formatDay(got.last)}` : ''
}

/** Ignores case, trailing punctuation and white space. */
function plain(text: string): string {
  return text.replace(/[\s.。!！🙏]+$/u, '').toLowerCase()
}

describe('phrases of the offline model', () => {
  it.each(['en', 'zh-CN', 'zh-TW'] as const)('are understood in %s', (language) => {
    const wrong = phrasesIn(language).flatMap((phrase) => {
      const what = fault(phrase)
      return what === undefined ? [] : [`${phrase.message}: ${what}`]
    })
    expect(wrong).toEqual([])
  })
})
