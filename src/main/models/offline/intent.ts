/**
 * What a message to the offline model asks for. Each language has its turns of phrase in `reading/`; here is the order in
 * which they are tried, the same for all. What is not recognised is a question: looking something up does no harm. Pure.
 */
import { formatDay, parseDay, simplify, timesIn, type DaySpan } from '../../memory/index.ts'
import { toldLanguage, type Told } from './language.ts'
import { minWidth, widthOf } from './width.ts'
import { chinese } from './reading/chinese.ts'
import { english } from './reading/english.ts'
import { japanese } from './reading/japanese.ts'
import { korean } from './reading/korean.ts'
import type { Reading } from './reading/reading.ts'

export type Intention =
  | { readonly kind: 'remember'; readonly text: string }
  /** What was noted from one day to another, both `YYYY-MM-DD` and included. */
  | { readonly kind: 'period'; readonly first: string; readonly last: string }
  | { readonly kind: 'files' | 'help' | 'greeting' | 'thanks' | 'assent' }
  /** Something that only a language model can do. */
  | { readonly kind: 'task' }
  /** Which day or hour it is; `day` is `YYYY-MM-DD`. */
  | { readonly kind: 'clock'; readonly day: string }
  /** What is written is to be deleted or changed; `text` is what it is about, and may be empty. */
  | { readonly kind: 'amend'; readonly text: string }
  /** Not to be kept; `isBefore`: what was said before is meant, and the message itself says nothing. */
  | { readonly kind: 'notThis'; readonly isBefore: boolean }
  /** How many notes there are; what is in them; what is known of the user. */
  | { readonly kind: 'count' | 'digest' | 'aboutMe' }
  | { readonly kind: 'statement' }
  /** `isAsked`: it is put as a question; else it is one for want of anything better. */
  | { readonly kind: 'question'; readonly isAsked: boolean }

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
  if (reading.asks.test(bare) || reading.asks.test(text.folded)) return { kind: 'question', isAsked: true }
  if (reading.states.test(bare) || isPlan(text, reading, today)) return { kind: 'statement' }
  return { kind: 'question', isAsked: false }
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
  if (reading.help.test(whole)) return { kind: 'help' }
  if (reading.files.test(whole)) return { kind: 'files' }
  if (reading.thanks.test(whole)) return { kind: 'thanks' }
  if (reading.greeting.test(whole)) return { kind: 'greeting' }
  return !folded.includes('?') && reading.assent.test(whole) ? { kind: 'assent' } : undefined
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
      const about = match.groups?.['text'] ?? ''
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
