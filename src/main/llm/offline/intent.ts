/**
 * What a message to the offline model asks for. What is not recognised is a question: looking something up does no harm.
 */
import { formatDay, parseDay, simplify, timesIn, type DaySpan } from '#search/text'
import { countCjk } from '#shared/util/tokens.ts'
import { toldLanguage } from './language.ts'
import { chinese, english, type Patterns } from './patterns.ts'

export type Intention =
  | { readonly kind: 'remember'; readonly text: string }
  /** What was noted from one day to another, both `YYYY-MM-DD` and included. */
  | { readonly kind: 'period'; readonly first: string; readonly last: string }
  /** A greeting, thanks, or something that this model cannot do. */
  | { readonly kind: 'help' }
  /** Not to be kept; `isBefore`: what was said before is meant, and the message itself says nothing. */
  | { readonly kind: 'notThis'; readonly isBefore: boolean }
  | { readonly kind: 'statement' }
  /** `isAsked`: it is put as a question; else it is one for want of anything better. */
  | { readonly kind: 'question'; readonly isAsked: boolean }

/** Characters that are looked at: who pastes pages says before them what they are for. */
const maxRead = 1000
/** Characters in which times are looked for. */
const maxTimed = 200

/** @param today `YYYY-MM-DD`, from which "yesterday" and "last week" are counted */
export function understand(message: string, today: string): Intention {
  const whole = message.trim()
  const head = understandHead(whole.slice(0, maxRead), today)
  return head.kind === 'remember' ? { ...head, text: head.text + whole.slice(maxRead) } : head
}

/** False for what is so short that it says hardly anything; a CJK character is about two Latin letters. */
export function isSubstantial(text: string): boolean {
  return text.length + countCjk(text) >= 8
}

function understandHead(raw: string, today: string): Intention {
  if (!/[\p{L}\p{N}]/u.test(raw)) return /[?？]/.test(raw) ? { kind: 'question', isAsked: true } : { kind: 'help' }
  const languages = languagesOf(raw)
  for (const find of [civil, notThis, note, period]) {
    for (const patterns of languages) {
      const found = find(textFor(patterns, raw), patterns, today)
      if (found) return found
    }
  }
  const [patterns = english] = languages
  const { folded } = textFor(patterns, raw)
  const bare = withoutOpening(folded, patterns)
  if (patterns.asks.test(bare) || patterns.asks.test(folded)) {
    const isCommand = patterns.command.test(ended(bare)) || patterns.command.test(ended(folded))
    return isCommand ? { kind: 'help' } : { kind: 'question', isAsked: true }
  }
  if (patterns.command.test(ended(bare)) || patterns.command.test(ended(folded))) return { kind: 'help' }
  return patterns.states.test(bare) || isPlan(folded, today)
    ? { kind: 'statement' }
    : { kind: 'question', isAsked: false }
}

interface Text {
  readonly raw: string
  /** As long as `raw`, letter for letter. */
  readonly folded: string
}

/** The message's own language first; English words are put into Chinese sentences. */
function languagesOf(raw: string): readonly Patterns[] {
  const told = toldLanguage(raw)
  if (told?.startsWith('zh')) return [chinese, english]
  return told === undefined || /\p{Script=Han}/u.test(raw) ? [english, chinese] : [english]
}

function textFor(patterns: Patterns, raw: string): Text {
  const plain = raw
    .replace(/[！-～]/g, (letter) => String.fromCharCode(letter.charCodeAt(0) - 0xfee0))
    .replaceAll('　', ' ')
    .replaceAll('’', "'")
    .replace(/[⁇⁈]/g, '?')
    .replace(/\p{Extended_Pictographic}|\p{Emoji_Modifier}|\p{Variation_Selector}|\u200d/gu, (sign) =>
      ' '.repeat(sign.length),
    )
  return { raw, folded: patterns === chinese ? simplify(plain) : plain }
}

/** Without full stops, exclamation marks, smileys and the like at its ends. */
function ended(folded: string): string {
  return folded.replace(/^[\s,.!]+|(?:[\s.!。,、~…?]|[:;]-?[)(DPp])+$/g, '')
}

/** Every place at which the message may begin, each opening taken off in turn. */
function openings(folded: string, { opening }: Patterns): number[] {
  const starts = [folded.search(/[^\s,.!。、]/)]
  for (;;) {
    const from = starts.at(-1) ?? 0
    const length = opening.exec(folded.slice(from))?.[0].length ?? 0
    if (length === 0) return starts
    starts.push(from + length)
  }
}

function withoutOpening(folded: string, patterns: Patterns): string {
  return folded.slice(openings(folded, patterns).at(-1))
}

function civil({ folded }: Text, patterns: Patterns): Intention | undefined {
  const sentences = ended(folded)
    .split(/[.!?。\n]+/)
    .map(ended)
    .filter(Boolean)
  return sentences.every((sentence) => patterns.civil.test(sentence)) ? { kind: 'help' } : undefined
}

/** What is not to be kept may come with it, before or after. */
function notThis({ folded }: Text, patterns: Patterns): Intention | undefined {
  const bare = ended(withoutOpening(folded, patterns))
  if (!patterns.notThis.test(bare) && !patterns.notThis.test(ended(folded))) return undefined
  const others = bare.split(/[,:;.!、。\n–—]+/).filter((piece) => !patterns.notThis.test(ended(piece)))
  return { kind: 'notThis', isBefore: !others.some((piece) => isSubstantial(piece.trim())) }
}

/** Asked to note something, in one of the language's ways; "remember when we …" asks for what was. */
function note({ raw, folded }: Text, patterns: Patterns): Intention | undefined {
  for (const start of openings(folded, patterns)) {
    const text = folded.slice(start)
    for (const pattern of patterns.save) {
      const match = pattern.exec(text.replace(/[\s.!。~]+$/, ''))
      if (!match) continue
      const noted = match.groups?.['text'] ?? ''
      const at = start + match[0].lastIndexOf(noted)
      const isPolite = start > 0 && /[?吗么]\s*$/.test(folded.slice(0, at))
      if (!patterns.surelySave.test(text) && patterns.asksForNote.test(noted.trim()) && !isPolite)
        return { kind: 'question', isAsked: true }
      return { kind: 'remember', text: noteOf(raw.slice(at, at + noted.length), noted) }
    }
  }
  return undefined
}

/** The note itself, without what its end has of the asking. */
function noteOf(raw: string, folded: string): string {
  const { length } = folded
    .replace(/[\s,;:、~]+$/, '')
    .replace(/[\s,]*(?:\b(?:please|pls|plz|thanks|thank you|ok|okay)|\?)$/i, '')
  const text = raw.slice(0, length).trim()
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** A time, and nothing beside it but what asks for a log. */
function period({ folded }: Text, patterns: Patterns, today: string): Intention | undefined {
  const text = folded.slice(0, maxTimed)
  const span = spanIn(text, patterns, today)
  if (!span) return undefined
  const rest = text.replace(span.text, ' ')
  const bare = rest.replace(patterns.hollow, ' ').replace(patterns.logWords, ' ')
  if (/[\p{L}\p{N}]/u.test(bare) || !(patterns.asksForLog.test(rest) || ended(rest) === '')) return undefined
  const last = Math.min(span.last, parseDay(today))
  return { kind: 'period', first: formatDay(Math.min(span.first, last)), last: formatDay(last) }
}

/** The time that a text names, if it names one; a weekday by itself is the last one that there was. */
function spanIn(text: string, patterns: Patterns, today: string): (DaySpan & { readonly text: string }) | undefined {
  const now = parseDay(today)
  const [time, ...others] = timesIn(text, now)
  if (time) return others.length === 0 && time.first <= now && Number.isFinite(time.first) ? time : undefined
  const [weekday, ...more] = text.matchAll(patterns.weekday)
  if (!weekday || more.length > 0) return undefined
  const index = patterns.weekdays.indexOf((weekday[1] ?? '').toLowerCase().replace('天', '日'))
  const back = (((now + 3) % 7) - index + 7) % 7
  return { first: now - back, last: now - back, text: weekday[0] }
}

/** A day to come and what is then: nobody looks that up without asking. */
function isPlan(folded: string, today: string): boolean {
  const now = parseDay(today)
  const head = folded.slice(0, maxTimed)
  return (
    /\d(?::\d{2}|\s?[ap]m)|\bat\b|[点时去到和跟要]/i.test(head) && timesIn(head, now).some(({ first }) => first > now)
  )
}
