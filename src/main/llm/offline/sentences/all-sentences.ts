/** The sentences of each language, and which of a note's lines were ours and not the user's. */
import type { Language } from '../language.ts'
import { english } from './english-sentences.ts'
import { japanese } from './japanese-sentences.ts'
import { korean } from './korean-sentences.ts'
import type { Sentences } from './sentences.ts'
import { simplified } from './simplified-sentences.ts'
import { traditional } from './traditional-sentences.ts'

const byLanguage: Readonly<Record<Language, Sentences>> = {
  en: english,
  'zh-Hans': simplified,
  'zh-Hant': traditional,
  ja: japanese,
  ko: korean,
}

export function sentencesIn(language: Language): Sentences {
  return byLanguage[language]
}

const standIn = '\u0000'
/** Beginnings and ends of sentences that are said around what differs each time. */
const frames: readonly (readonly [before: string, after: string])[] = Object.values(byLanguage).flatMap((sentences) => {
  const {
    nothingFound,
    nothingIn,
    periodHas,
    remembered,
    whenNoted,
    changeInLog,
    toldBeside,
    summary: _,
    kept: __,
    ...others
  } = sentences
  const filled = [nothingFound, nothingIn, periodHas, remembered, whenNoted, changeInLog, toldBeside].map((say) =>
    say(standIn),
  )
  const whole = Object.values(others).filter((said) => typeof said === 'string')
  return [...filled, ...whole].map((said): [string, string] => {
    const [before = '', after = ''] = said.split(standIn)
    return [before, after]
  })
})

/** Shorter ones could be anybody's. */
const minFrame = 12

/** Something that the offline model said, in any of its languages: never to be taken for what somebody noted. */
export function isOurs(line: string): boolean {
  const text = line.trim()
  return frames.some(
    ([before, after]) =>
      before.length + after.length >= minFrame && text.startsWith(before) && text.includes(after, before.length),
  )
}

/** Names under which the user and the assistant speak, in every language. */
export const speakers: Readonly<Record<'user' | 'assistant', readonly string[]>> = {
  user: Object.values(byLanguage).map(({ user }) => user),
  assistant: Object.values(byLanguage).map(({ assistant }) => assistant),
}
