/**
 * What a message to the offline model asks for. Each language has its turns of phrase in `reading/`; here is the order in
 * which they are tried, the same for all. What is not recognised is a question: looking something up does no harm. Pure.
 */
import { formatDay, parseDay, type DaySpan, simplify, timesIn } from '#search/text'
import { toldLanguage, type Told } from './language.ts'
import { minWidth, widthOf } from './width.ts'
import { chinese } from './reading/chinese-patterns.ts'
import { english } from './reading/english-patterns.ts'
import { japanese } from './reading/japanese-patterns.ts'
import { korean } from './reading/korean-patterns.ts'
import type { Reading } from './reading/reading-patterns.ts'

export type Intention =
  | { readonly kind: 'remember'; readonly text: string }
  /** What was noted from one day to another, both `YYYY-MM-DD` and included. */
  | { readonly kind: 'period'; readonly first: string; readonly last: string }
  | { readonly kind: 'files' | 'help' | 'greeting' | 'thanks' | 'assent' }
  /** Something that only a language model can do. */
  | { readonly kind: 'task' }
  /** Which day or hour it is; `day` is `YYYY-MM-DD`. */
  | { readonly kind: 'clock'; readonly day: string }
  /** What is written is to be deleted or changed; `text` is what it is about; empty for what was noted last. */
  | { readonly kind: 'amend'; readonly text: string }
  /** Not to be kept; `isBefore`: what was said before is meant, and the message itself says nothing. */
  | { readonly kind: 'notThis'; readonly isBefore: boolean }
  /** How many notes there are; what is in them; what is known of the user. */
  | { readonly kind: 'count' | 'digest' | 'aboutMe' }
  | { readonly kind: 'statement' }
  /**
   * `isAsked`: it is put as a question; else it is one for want of anything better. `beside`: what the message states
   * as well, where `asked` is the part of it that asks.
   */
  | { readonly kind: 'question'; readonly isAsked: boolean; readonly beside?: string; readonly asked?: string }

/** @param today `YYYY-MM-DD`, from which "yesterday" and "last week" are counted */
export function understand(message: string, today: string): Intention {
  const whole = message.trim()
  if (whole.length <= maxRead) return understandWhole(whole, today)
  const head = understandWhole(whole.slice(0, maxRead), today)
  return head.kind === 'remember' ? { ...head, text: head.text + whole.slice(maxRead) } : head
}

/** Characters that are looked at: who pastes pages says before them what they are for. */
const maxRead = 1000

function understandWhole(raw: string, today: string): Intention {
  const told = toldLanguage(raw)
  if (!/[\p{L}\p{N}]/u.test(raw)) return { kind: /[?？]/.test(raw) ? 'question' : 'assent', isAsked: true }
  const readings = readingsFor(told, raw)
  for (const find of [social, notThis, overview, clock, amend, note, period]) {
    for (const reading of readings) {
      const found = find(textFor(reading, raw), reading, today)
      if (found) return found
    }
  }
  const [reading = english] = readings
  const text = textFor(reading, raw)
  const bare = withoutOpening(text.folded, reading)
  if (reading.task.test(ended(bare)) || reading.task.test(ended(text.folded))) return { kind: 'task' }
  if (reading.asks.test(bare) || reading.asks.test(text.folded))
    return { kind: 'question', isAsked: true, ...besideQuestion(text, reading, today) }
  if (reading.states.test(bare) || isPlan(text, reading, today)) return { kind: 'statement' }
  return { kind: 'question', isAsked: false }
}

/** Ends of sentences; a full stop in a name or a number is none. */
const sentenceEnd = /(?<=[。!?;])\s*|(?<=\p{L}\.)\s+(?=\p{Lu}|\p{Lo})|\n+/u
/** Words that stand for something said before: what asks with them cannot be understood by itself. */
const backwards =
  /\b(?:it|its|that|this|they|them|he|she|his|her|him|there|those|these)\b|[他她它]|这|那(?!么)|それ|これ|あれ|その|この|그(?:거|건|것|게|가|는|녀|때)/i

/** What a message states beside its question, and the question by itself; nothing where they cannot be told apart. */
function besideQuestion({ raw, folded }: Text, reading: Reading, today: string): { beside?: string; asked?: string } {
  const marks = [...folded.matchAll(new RegExp(sentenceEnd, 'gu')), ...folded.matchAll(reading.turns)]
  const gaps = marks
    .map(({ index, 0: mark }) => ({ from: index, to: index + mark.length }))
    .sort((one, other) => one.from - other.from)
  const pieces = [{ from: 0, to: 0 }, ...gaps]
    .map(({ to: from }, index) => ({ from, to: gaps[index]?.from ?? raw.length }))
    .map(({ from, to }) => ({ text: raw.slice(from, to).trim(), folded: folded.slice(from, to).trim() }))
    .filter(({ text }) => text !== '')
  if (pieces.length < 2) return {}
  const kinds = pieces.map(({ folded: piece }) => understandWhole(piece, today))
  const stated = pieces.filter(({ text }, index) => kinds[index]?.kind === 'statement' && widthOf(text) >= minWidth)
  const asked = pieces.filter((_, index) => {
    const kind = kinds[index]
    return kind?.kind === 'question' && kind.isAsked
  })
  const isWhole = asked.some(({ folded: piece }) => backwards.test(piece) || isEmptyOf(piece, reading))
  if (stated.length === 0 || asked.length === 0 || isWhole) return {}
  return { beside: stated.map(({ text }) => text).join(' '), asked: asked.map(({ text }) => text).join(' ') }
}

function isEmptyOf(folded: string, { hollow }: Reading): boolean {
  return folded.replace(hollow, '').replace(/[\s\p{P}]/gu, '') === ''
}

/** A day to come and what is then: nobody looks that up without asking. */
function isPlan({ folded }: Text, reading: Reading, today: string): boolean {
  const now = parseDay(today)
  const head = folded.slice(0, maxTimed)
  return reading.plan.test(head) && timesIn(head, now).some(({ first }) => first > now)
}

interface Text {
  readonly raw: string
  /** As long as `raw`, letter for letter. */
  readonly folded: string
}

/** The message's own language first; English words are put into sentences of every language. */
function readingsFor(told: Told | undefined, raw: string): readonly Reading[] {
  switch (told) {
    case 'zh':
      return [chinese, japanese, english]
    case 'zh-Hans':
    case 'zh-Hant':
      return [chinese, english]
    case 'ja':
      return [japanese, english]
    case 'ko':
      return [korean, english]
    case 'en':
      return /\p{Script=Han}/u.test(raw) ? [english, chinese] : [english]
    case undefined:
      return [english, chinese, japanese, korean]
  }
}

function textFor(reading: Reading, raw: string): Text {
  const plain = raw
    .replace(/[！-～]/g, (letter) => String.fromCharCode(letter.charCodeAt(0) - 0xfee0))
    .replaceAll('　', ' ')
    .replaceAll('’', "'")
    .replaceAll('〜', '~')
    .replace(/[⁇⁈]/g, '?')
    .replace(/\p{Extended_Pictographic}|\p{Emoji_Modifier}|\p{Variation_Selector}|\u200d/gu, (sign) =>
      ' '.repeat(sign.length),
    )
  return { raw, folded: reading === chinese ? simplify(plain) : plain }
}

/** Without full stops, exclamation marks, smileys and the like at its ends. */
function ended(folded: string): string {
  return folded.replace(/^[\s,.!]+|(?:[\s.!。,、~…?]|[:;]-?[)(DPp])+$/g, '')
}

function social({ folded }: Text, reading: Reading): Intention | undefined {
  const whole = ended(folded)
  const kind = civility(whole, reading)
  if (kind) return kind === 'assent' && folded.includes('?') ? undefined : { kind }
  // "Hi there! What can you do?": each part is one of them, and the weightiest is answered.
  const pieces = whole.split(/[,.!?;。、\n]+/).map((piece) => civility(ended(piece), reading))
  const found = civilities.find((name) => pieces.includes(name))
  const isAll = pieces.length > 1 && pieces.every((piece) => piece !== undefined)
  return isAll && found !== undefined && found !== 'assent' ? { kind: found } : undefined
}

/** What one says to be civil, or to learn what there is to say; the weightiest first. */
const civilities = ['help', 'files', 'thanks', 'greeting', 'assent'] as const

function civility(whole: string, reading: Reading): (typeof civilities)[number] | undefined {
  return civilities.find((name) => reading[name].test(whole))
}

/** What is not to be kept may come with it, before or after. */
function notThis({ folded }: Text, reading: Reading): Intention | undefined {
  const bare = ended(withoutOpening(folded, reading))
  if (!reading.notThis.test(bare) && !reading.notThis.test(ended(folded))) return undefined
  const others = bare.split(/[,:;.!、。\n–—]+/).filter((piece) => !reading.notThis.test(ended(piece)))
  return { kind: 'notThis', isBefore: others.every((piece) => widthOf(piece.trim()) < minWidth) }
}

function overview({ folded }: Text, reading: Reading): Intention | undefined {
  const whole = ended(folded)
  const bare = ended(withoutOpening(folded, reading))
  const kinds = ['count', 'digest', 'aboutMe'] as const
  const kind = kinds.find((name) => reading[name].test(bare) || reading[name].test(whole))
  return kind && { kind }
}

function clock({ folded }: Text, reading: Reading, today: string): Intention | undefined {
  const now = parseDay(today)
  for (const start of openings(folded.slice(0, maxTimed), reading)) {
    const text = ended(folded.slice(start, maxTimed))
    const [time, ...others] = timesIn(text, now)
    const isDay = time && others.length === 0 && time.first === time.last && Number.isFinite(time.first)
    const asked = isDay ? text.replace(time.text, '@') : text
    if (reading.clock.test(asked)) return { kind: 'clock', day: isDay ? formatDay(time.first) : today }
  }
  return undefined
}

/** Asked to delete or change something; who asks what was changed or forgotten only asks. */
function amend({ raw, folded }: Text, reading: Reading): Intention | undefined {
  for (const start of openings(folded, reading)) {
    const text = ended(folded.slice(start)).replace(/[吗么]$/, '')
    const at = folded.indexOf(text, start)
    for (const pattern of reading.amend) {
      const match = pattern.exec(text)
      if (!match || reading.asksForNote.test(text)) continue
      const about = (match.groups?.['text'] ?? '').trim()
      if (reading.pointing.test(about)) return { kind: 'amend', text: '' }
      const from = at + match[0].indexOf(about)
      return { kind: 'amend', text: raw.slice(from, from + about.length).trim() }
    }
  }
  return undefined
}

/** Asked to note something, in one of the language's ways; "remember when we …" asks for what was. */
function note({ raw, folded }: Text, reading: Reading): Intention | undefined {
  for (const start of openings(folded, reading)) {
    const text = folded.slice(start)
    for (const pattern of reading.save) {
      const match = pattern.exec(text.replace(/[\s.!。~]+$/, ''))
      if (!match) continue
      const note = match.groups?.['text'] ?? ''
      const at = start + match.index + match[0].lastIndexOf(note)
      const isPolite = start > 0 && /[?吗么]\s*$/.test(folded.slice(0, at))
      if (isAsked(text, note, reading, isPolite)) return { kind: 'question', isAsked: true }
      return { kind: 'remember', text: noteOf(raw.slice(at, at + note.length), note, reading) }
    }
  }
  return undefined
}

function isAsked(text: string, note: string, reading: Reading, isPolite: boolean): boolean {
  if (reading.surelySave.test(text)) return false
  return reading.asksForNote.test(note.trim()) && !isPolite
}

/** Every place at which the message may begin, each opening taken off in turn. */
function openings(folded: string, reading: Reading): number[] {
  const starts = [folded.search(/[^\s,.!。、]/)]
  for (;;) {
    const from = starts.at(-1) ?? 0
    const length = reading.opening.exec(folded.slice(from))?.[0].length ?? 0
    if (length === 0) return starts
    starts.push(from + length)
  }
}

function withoutOpening(folded: string, reading: Reading): string {
  return folded.slice(openings(folded, reading).at(-1))
}

/** The note itself: without the marks between it and the asking, and without what its end had for the asking. */
function noteOf(raw: string, folded: string, reading: Reading): string {
  const rest = folded.replace(/[\s,;:、~]+$/, '')
  const end = reading.noteEnds.find(([pattern]) => pattern.test(rest))
  const cut = end ? rest.replace(end[0], '').length : rest.length
  const text = `${raw.slice(0, cut)}${end?.[1] ?? ''}`.trim()
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** Characters in which times are looked for. */
const maxTimed = 200

/** A time, and nothing beside it but what asks for a log. */
function period({ folded }: Text, reading: Reading, today: string): Intention | undefined {
  const text = folded.slice(0, maxTimed)
  const span = spanIn(text, reading, today)
  if (!span) return undefined
  const rest = text.replace(span.text, ' ')
  const bare = rest.replace(reading.logWords, ' ').replace(/[\s\p{P}\p{S}]+/gu, '')
  if (bare !== '' || !(reading.asksForLog.test(rest) || ended(rest) === '')) return undefined
  const last = Math.min(span.last, parseDay(today))
  return { kind: 'period', first: formatDay(Math.min(span.first, last)), last: formatDay(last) }
}

/** The time that a text names, if it names one; a weekday by itself is the last one that there was. */
function spanIn(text: string, reading: Reading, today: string): (DaySpan & { readonly text: string }) | undefined {
  const now = parseDay(today)
  const [time, ...others] = timesIn(text, now)
  if (time) return others.length === 0 && time.first <= now && Number.isFinite(time.first) ? time : undefined
  const weekday = [...text.matchAll(reading.weekday)]
  if (weekday.length !== 1) return undefined
  const [whole, name = ''] = weekday[0] ?? ['']
  const index = Math.min(6, reading.weekdays.split(' ').indexOf(name.toLowerCase()))
  const back = (((now + 3) % 7) - index + 7) % 7
  return { first: now - back, last: now - back, text: whole }
}
