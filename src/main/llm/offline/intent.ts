import { formatDay, parseDay, simplify, timesIn, type DaySpan } from '#search/text'
import { countCjk } from '#shared/util/tokens.ts'
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
  const text = { raw, folded: fold(raw) }
  // English words are put into Chinese sentences.
  const languages = /\p{Script=Han}/u.test(raw) ? [chinese, english] : [english]
  for (const find of [civil, notThis, note, period]) {
    for (const patterns of languages) {
      const found = find(text, patterns, today)
      if (found) return found
    }
  }
  const matches = (name: 'command' | 'asks' | 'states') =>
    languages.some((patterns) =>
      openings(text.folded, patterns).some((start) => patterns[name].test(text.folded.slice(start))),
    )
  if (matches('command')) return { kind: 'help' }
  if (matches('asks')) return { kind: 'question', isAsked: true }
  return matches('states') || isPlan(text.folded, today) ? { kind: 'statement' } : { kind: 'question', isAsked: false }
}

interface Text {
  readonly raw: string
  /** As long as `raw`, letter for letter. */
  readonly folded: string
}

function fold(raw: string): string {
  const plain = raw
    .replace(/[！-～]/g, (letter) => String.fromCharCode(letter.charCodeAt(0) - 0xfee0))
    .replaceAll('　', ' ')
    .replaceAll('’', "'")
    .replace(/\p{Extended_Pictographic}|\p{Emoji_Modifier}|\p{Variation_Selector}|\u200d/gu, (sign) =>
      ' '.repeat(sign.length),
    )
  return simplify(plain)
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

function civil({ folded }: Text, patterns: Patterns): Intention | undefined {
  const sentences = ended(folded)
    .split(/[.!?。\n]+/)
    .map(ended)
    .filter(Boolean)
  return sentences.every((sentence) => patterns.civil.test(sentence)) ? { kind: 'help' } : undefined
}

/** What is not to be kept may come with it, before or after. */
function notThis({ folded }: Text, patterns: Patterns): Intention | undefined {
  const starts = openings(folded, patterns).map((start) => ended(folded.slice(start)))
  const refusal = starts.find((text) => patterns.notThis.test(text))
  if (refusal === undefined) return undefined
  const others = refusal.split(/[,:;.!、。\n–—]+/).filter((piece) => !patterns.notThis.test(ended(piece)))
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
      // "Note: …" and "备忘：…" are never questions.
      const isAnnounced = /:\s*$/.test(folded.slice(start, at))
      if (patterns.asksForNote.test(noted.trim()) && !isPolite && !isAnnounced)
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

const asksForLog =
  /\b(?:what.?s?|summar[iy]\w*|sum up|recap|review|list|show|tell|give|anything|everything|notes?|logs?|entries|journal)\b|什么|甚么|啥|哪些|干嘛|总结|整理|回顾|复盘|看|显示|列出|[记纪]录|日志|日记|笔记|怎么样|概括|汇总/i

/** A time, and nothing beside it but what asks for a log. */
function period({ folded }: Text, patterns: Patterns, today: string): Intention | undefined {
  const text = folded.slice(0, maxTimed)
  const span = spanIn(text, today)
  if (!span) return undefined
  const rest = text.replace(span.text, ' ')
  const bare = rest.replace(patterns.hollow, ' ').replace(patterns.logWords, ' ')
  if (/[\p{L}\p{N}]/u.test(bare) || !(asksForLog.test(rest) || ended(rest) === '')) return undefined
  const last = Math.min(span.last, parseDay(today))
  return { kind: 'period', first: formatDay(Math.min(span.first, last)), last: formatDay(last) }
}

const weekdays = ['monday一', 'tuesday二', 'wednesday三', 'thursday四', 'friday五', 'saturday六', 'sunday日天']

/** The time that a text names, if it names one; a weekday by itself is the last one that there was. */
function spanIn(text: string, today: string): (DaySpan & { readonly text: string }) | undefined {
  const now = parseDay(today)
  const [time, ...others] = timesIn(text, now)
  if (time) return others.length === 0 && time.first <= now && Number.isFinite(time.first) ? time : undefined
  const weekday = /\b\w{3,6}day\b|(?:星期|礼拜|周)[一二三四五六日天]/i.exec(text)?.[0]
  const name = weekday?.replace(/星期|礼拜|周/, '').toLowerCase() ?? '?'
  const index = weekdays.findIndex((names) => names.includes(name))
  const back = (((now + 3) % 7) - index + 7) % 7
  return weekday === undefined || index === -1 ? undefined : { first: now - back, last: now - back, text: weekday }
}

/** A day to come and what is then: nobody looks that up without asking. */
function isPlan(folded: string, today: string): boolean {
  const now = parseDay(today)
  const head = folded.slice(0, maxTimed)
  return (
    /\d(?::\d{2}|\s?[ap]m)|\bat\b|[点时去到和跟要]/i.test(head) && timesIn(head, now).some(({ first }) => first > now)
  )
}
