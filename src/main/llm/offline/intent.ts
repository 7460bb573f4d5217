import { datedNote, type DaySpan, formatDay, parseDay, simplify, parseTemporalExpressions } from '#search/text'
import { countCjk } from '#shared/util/tokens.ts'
import { chinese, english, type Patterns } from './patterns.ts'

export type Intent =
  | { readonly kind: 'remember'; readonly text: string; readonly isReminder: boolean }
  /** List the notes of these days, both inclusive. */
  | ({ readonly kind: 'period'; /** The user's words for a day. */ readonly words?: string } & DaySpan)
  /** "Don't note that"; `isAboutEarlier`: it refers to the message before it. */
  | { readonly kind: 'optOut'; readonly isAboutEarlier: boolean }
  /** `help`: a greeting, or a request for a language model. `keywords`: searched in a chat, noted by a memory flush. */
  | { readonly kind: 'help' | 'change' | 'statement' | 'question' | 'keywords' }

/** In characters. A request precedes the long text that it is about, so the first characters decide. */
const maxParsedLength = 1000

/** @param today `YYYY-MM-DD`, the base of "yesterday" and "last week"; by default any day, for intents without times */
export function parseIntent(message: string, today = '1970-01-01'): Intent {
  const trimmed = message.trim()
  const intent = parseStart(trimmed.slice(0, maxParsedLength), today)
  if (intent.kind !== 'remember') return intent
  return { ...intent, text: (intent.text + trimmed.slice(maxParsedLength)).trim() }
}

/** Returns the note that a request asks for, with dates for its relative times. @param today `YYYY-MM-DD` */
export function requestedNote({ text, isReminder }: Extract<Intent, { kind: 'remember' }>, today: string): string {
  const note = datedNote(text, today, isReminder)
  // "Tomorrow (2026-11-18) to call Ann"
  return isReminder ? note.replace(/^([^()]*\([\d –-]+\)) to /, '$1: ') : note
}

/** Returns a message as the app saves it: the text of a request to remember, with dates for its relative times. */
export function noteOf(message: string, today: string): string {
  const intent = parseIntent(message, today)
  return intent.kind === 'remember' ? requestedNote(intent, today) : datedNote(message, today)
}

/** Returns false for very short texts and 30 equal letters in a row; a CJK character counts as two Latin letters. */
export function isSubstantial(text: string): boolean {
  return text.length + countCjk(text) >= 8 && !/(\S)\1{29}/.test(text)
}

function parseStart(raw: string, today: string): Intent {
  if (!/[\p{L}\p{N}]/u.test(raw)) return { kind: /[?？]/.test(raw) ? 'question' : 'help' }
  const text = normalize(raw)
  // Chinese messages often contain English words.
  const languages = /\p{Script=Han}/u.test(raw) ? [chinese, english] : [english]
  for (const parse of [parseSmallTalk, parseOptOut, parseRemember, parsePeriod]) {
    for (const patterns of languages) {
      const intent = parse(text, patterns, raw, today)
      if (intent) return intent
    }
  }
  const matches = (name: 'change' | 'unsupported' | 'question' | 'statement') =>
    languages.some((patterns) => startPositions(text, patterns).some((start) => patterns[name].test(text.slice(start))))
  if (matches('change')) return { kind: 'change' }
  if (matches('unsupported')) return { kind: 'help' }
  if (matches('question')) return { kind: 'question' }
  return { kind: matches('statement') ? 'statement' : 'keywords' }
}

/** Keeps the length, so that positions are the same in the result and in the original. */
function normalize(raw: string): string {
  const plain = raw
    .replace(/[！-～]/g, (letter) => String.fromCharCode(letter.charCodeAt(0) - 0xfee0))
    .replaceAll('　', ' ')
    .replaceAll('’', "'")
    .replace(/\p{Extended_Pictographic}|\p{Emoji_Modifier}|\p{Variation_Selector}|\u200d/gu, (emoji) =>
      ' '.repeat(emoji.length),
    )
  return simplify(plain)
}

function trimPunctuation(text: string): string {
  return text.replace(/^[\s,.!]+|(?:[\s.!。,、~…?]|[:;]-?[)(DPp])+$/g, '')
}

/** Returns the start of the message and the position after each opening, such as "hi" and "could you please". */
function startPositions(text: string, { opening }: Patterns): number[] {
  const positions = [text.search(/[^\s,.!。、]/)]
  for (;;) {
    const from = positions.at(-1) ?? 0
    const length = opening.exec(text.slice(from))?.[0].length ?? 0
    if (length === 0) return positions
    positions.push(from + length)
  }
}

function parseSmallTalk(text: string, { smallTalk }: Patterns): Intent | undefined {
  const sentences = text.split(/[.!?。\n]+/).map(trimPunctuation)
  return sentences.every((sentence) => sentence === '' || smallTalk.test(sentence)) ? { kind: 'help' } : undefined
}

function parseOptOut(text: string, patterns: Patterns): Intent | undefined {
  const isOptOut = (part: string) => patterns.optOut.test(trimPunctuation(part))
  const optOutText = startPositions(text, patterns)
    .map((start) => text.slice(start))
    .find(isOptOut)
  const otherParts = optOutText?.split(/[,:;.!、。\n–—]+/).filter((part) => !isOptOut(part))
  return otherParts && { kind: 'optOut', isAboutEarlier: !otherParts.some((part) => isSubstantial(part.trim())) }
}

/** Signs at the end of a password can be a part of it. */
const secretEnd = /(?:密码|口令|\b(?:pin|code|pass(?:word|code|phrase))\b).*[\d#$%&*@^][\x21-\x7e]*?([!?]+)\s*$/is
const emojiAtEnd = /[\p{Extended_Pictographic}\p{Emoji_Modifier}\p{Variation_Selector}\u200d]+\s*$/u
/** End of a sentence, before a request that follows it. */
const sentenceEnd = /^[\p{Extended_Pictographic}\p{Emoji_Modifier}\p{Variation_Selector}\u200d\s.!?…~。！？～]*/u
/** The question mark of "can you remember …?" ends the request, not the note. */
const politeQuestion = /\b(?:can|could|would|will)\b|[可能]/i

/** Returns the kind `question` for texts such as "remember when we …". */
function parseRemember(whole: string, patterns: Patterns, raw: string): Intent | undefined {
  const [secret, signs = ''] = secretEnd.exec(whole) ?? []
  const message = secret === undefined ? whole : whole.slice(0, whole.trimEnd().length - signs.length)
  for (const start of startPositions(message, patterns)) {
    const text = message.slice(start).replace(/[\s.!。~]+$/, '')
    const match = patterns.remember.map((pattern) => pattern.exec(text)).find((result) => result !== null)
    if (!match) continue
    const note = match.groups?.['text'] ?? ''
    const textStart = start + match[0].lastIndexOf(note)
    // `normalize` has replaced the emoji by spaces.
    const noteStart = textStart - ((note && emojiAtEnd.exec(raw.slice(0, textStart))?.[0])?.length ?? 0)
    const isPolite = start > 0 && /[?吗么]\s*$/.test(message.slice(0, noteStart))
    const hasColon = /:\s*$/.test(message.slice(start, noteStart))
    if (patterns.lookup.test(note.trim()) && !isPolite && !hasColon) return { kind: 'question' }
    const noteEnd = textStart + note.length
    const rest = raw.slice(noteEnd)
    const end = noteEnd === start + text.length ? rest : sentenceEnd.exec(rest)?.[0]
    const typed = note.trim() === '' ? '' : raw.slice(noteStart, noteEnd) + (end ?? '')
    const isAsked = signs === '' && politeQuestion.test(message.slice(0, start))
    const saved = isAsked ? typed.replace(/[?？]\s*$/, '') : typed
    if (/\b(?:reminder|alarm)\s+for\s+$/i.test(message.slice(start, noteStart)))
      return { kind: 'remember', text: `Reminder: ${saved}`, isReminder: true }
    const isReminder = patterns.reminder.test(`${message.slice(0, noteStart)} ${message.slice(noteEnd)}`)
    return { kind: 'remember', text: saved, isReminder }
  }
  return undefined
}

const listRequest =
  /\b(?:what.?s?|summar[iy]\w*|sum up|recap|review|list|show|tell|give|anything|everything|notes?|logs?|entries|journal)\b|什么|甚么|啥|哪些|干嘛|总结|整理|回顾|复盘|看|显示|列出|[记纪]录|日志|日记|笔记|怎么样|概括|汇总/i

/** Matches a message that names a time and otherwise only asks for the log. */
function parsePeriod(message: string, patterns: Patterns, _raw: string, today: string): Intent | undefined {
  const now = parseDay(today)
  const [span, ...others] = parseTemporalExpressions(message, now)
  if (!span || others.length > 0 || span.first > now || !Number.isFinite(span.first)) return undefined
  const textWithoutTime = message.replace(span.text, ' ')
  const otherWords = textWithoutTime.replace(patterns.stopWords, ' ').replace(patterns.logWords, ' ')
  const asksForLog = listRequest.test(textWithoutTime) || trimPunctuation(textWithoutTime) === ''
  if (/[\p{L}\p{N}]/u.test(otherWords) || !asksForLog) return undefined
  const { first, text } = span
  // Without the question, a day without a year can be the coming one.
  const words = parseTemporalExpressions(text, now)[0]?.first === first ? text : formatDay(first)
  return { kind: 'period', first, last: Math.min(span.last, now), ...(first === span.last ? { words } : {}) }
}
