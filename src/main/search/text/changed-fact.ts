/** Finds a line with a fact that a new note changes: “Rent is 1,450 a month” and “The rent goes up to 1,520”. */
import { simplify } from '#shared/util/han.ts'
import { queryTerms } from '../query/parse-query.ts'
import { anyOf, chineseWeekday, hasAnyOf, weekdayName } from './language/words.ts'
import { fold } from './terms.ts'

/** Words that are replaced before the comparison: different words for one attribute, and words that change no fact. */
const replacements: readonly (readonly [words: RegExp, name: string])[] = [
  [/\b(?:mr|mrs|ms|dr|prof)\b\.?|['’]s\b|每(?:[月年天日次期]|平米|周(?![一二三四五六日天末]))?/giu, ' '],
  // A correction repeats the old value: 425，不是 452.
  [/[,，]\s*(?:not|而?不是|而非)\s?\d[^,，。;；]*/gi, ' '],
  [/先生|女士|小姐|(?<=\p{L})(?:老师|医师|师傅)/gu, ' '],
  [
    /\b(?:(?:tele)?phone|tel|mobile|cell)(?: number)?\b|\bnumber\b(?! *\d{1,4}\b)|(?:电话|手机)(?:号码?)?|号码/gi,
    ' phone ',
  ],
  [/\be-?mail(?: address)?\b|邮箱|电邮|信箱/gi, ' email '],
  [/\b(?:password|passcode|code|pin)\b|密码|口令/gi, ' password '],
  [/\baddress\b|地址|住址/gi, ' address '],
  [/\brent\b|房租|月租|租金/gi, ' rent '],
  [/\bsize\b|尺码|尺寸|鞋[码号]|穿(?=\d+码)/gi, ' size '],
]
/** Attributes and roles of which a subject has one at a time. */
const isSingular = hasAnyOf(
  `phone email password address rent size fee price salary deadline accountant boss dentist doctor landlord landlady lawyer
  lead manager owner plumber teacher therapist vet 费 价 工资 薪水 负责人 班主任 房东 老板 经理 牙医 医生 会计 律师`,
)
/** Values that are measured again and again: each note stays true. */
const measured = /\b(?:weight|weighs?|pressure|temperature|score|balance)\b|体重|血压|血糖|体温|气温|心率|余额/i
const changeWords = /\b(?:now|new|no longer|instead)\b|现在|目前|不再|新(?![北竹加疆西年])|[换改涨]|[升降搬调][了价家]/i
const generic = new RegExp(
  `^${anyOf(
    `change[ds]? new old current today weeks? months? years? daily weekly monthly home last next euros? dollars?
    新 旧 家里 [个块元次期月份]`,
  )}$`,
)

/** Relations between subject and value. Values of two relations state two facts. */
const relations = {
  change: String.raw`\b(?:was |were |been )?(?:(?:chang|rais|increas|switch|renam|extend|postpon|shift|push|updat|lower|reduc|dropp)e?d?s?|r[io]ses?|goes|went|fell|cut|set)\b(?<object1>[^,;]{0,60}?)\bto\b|(?:改|换|涨|升|降|调|变|推迟|延期|提前)了?[到成为至在]了?`,
  home: String.raw`\bmove[ds]?\b(?<object2>[^,;]{0,60}?)\bto\b|\b(?:live|stay|locate|is|are)[sd]?(?: now)? (?:in|on)\b|[搬迁挪]家?了?[到去至在]了?|(?<![存现实正好内外所])在|(?<![来入])住`,
  work: String.raw`\bworks? (?:at|for|in)\b|跳槽[到去]了?`,
  be: String.raw`\b(?:now )?(?:is|are|costs?)\b(?: now)?|现在是|(?<![但还于只可要])是|(?<![因作成])为|[:：=](?!\d)`,
}
const predicate = new RegExp(
  Object.entries(relations)
    .map(([name, words]) => `(?<${name}>${words})`)
    .join('|'),
  'i',
)
const weekday = `\\b${weekdayName}s?\\b|${chineseWeekday}`
const bareValue = new RegExp(`\\d|${weekday}|[〇一二三四五六七八九十百千万两]{2}|[一二三四五六七八九十两]点`, 'i')
const timeValue = new RegExp(`^(?:\\d{1,2}:\\d{2}|\\d+[ap]m|${weekday}|.{1,3}点半?)$`)

const labelPattern =
  /^\W*(?:note|nb|fyi|reminder|remember|update|correction|corrected|memo|[更订訂勘]正|勘[误誤]|备注|備註|注意|提醒|记住|記住)\s*[:：]\s*/i
const repetitionPattern = /,?\s+(?:as before|as usual|as always|once more|again)\s*(?=[.!]?\s*$)/i

/** Longer texts tell more than one fact. UTF-16 code units. */
const maxLength = 240

const kinds = ['time', 'date', 'figure', 'text'] as const

interface Term {
  readonly term: string
  readonly kind: (typeof kinds)[number]
}

type Fact = NonNullable<ReturnType<typeof factOf>>

interface Line {
  readonly text: string
  readonly headings?: readonly string[]
}

export function isMarkedOld(text: string): boolean {
  return /[(（](?:old|outdated|alt|[旧舊])[)）]/i.test(text)
}

/** Returns the last line with a fact that the saved line changes; undefined if there is none. */
export function findReplaced<T extends Line>(saved: Line, others: readonly T[]): T | undefined {
  const facts = factsOf(saved)
  const isSaid = termsSaidIn(saved)
  return others.findLast((line) => {
    const text = textOf(line)
    // Cheaper than the terms of each line. Stems may end in other letters than words.
    if (!facts.some(({ subject }) => subject.every(({ term }) => text.includes(term.slice(0, 4))))) return false
    const wasSaid = termsSaidIn(line)
    const isAbout = ({ subject, context }: Fact, has: typeof isSaid) =>
      subject.length > 0 && subject.every(has) && (context.length === 0 || context.some(has))
    const pairs = factsOf(line).flatMap((old) => facts.map((now) => ({ now, old })))
    return pairs.some(
      ({ now, old }) =>
        isAbout(now, wasSaid) &&
        isAbout(old, isSaid) &&
        valuesDiffer(now, old, (term) => isSaid(term) && wasSaid(term)),
    )
  })
}

export function toPlainText(text: string): string {
  return text
    .replace(/\[\[(?:[^\]|]*\|)?([^\]]*)\]\]/g, '$1')
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(labelPattern, '')
    .replace(repetitionPattern, '')
    .replace(/\*\*|__|~~|`|(?<=\s|^)[*_](?=\S)|(?<=\S)[*_](?=\s|$)/g, '')
    .trim()
}

/** Computes a value once for each line: the best lines of a search are compared with each other. */
function onceByLine<T>(compute: (line: Line) => T): (line: Line) => T {
  const known = new WeakMap<Line, T>()
  return (line) => {
    const value = known.get(line) ?? compute(line)
    known.set(line, value)
    return value
  }
}

const textOf = onceByLine(({ text, headings = [] }) => fold([text, ...headings].map(normalize).join(' \n')))
const termsSaidIn = onceByLine((line) => termLookup(textOf(line)))

function termLookup(text: string): (term: Term) => boolean {
  const terms = new Set(termsOf(text).map(({ term }) => term))
  // The segmentation of Han text depends on the letters around a word.
  return ({ term }) => terms.has(term) || (/\p{Script=Han}/u.test(term) && text.includes(term))
}

function normalize(text: string): string {
  return replacements.reduce((result, [words, name]) => result.replace(words, name), simplify(toPlainText(text)))
}

const factsOf = onceByLine(({ text }): Fact[] => {
  if (text.length > maxLength || measured.test(text)) return []
  const clauses = normalize(text).split(/[,;.!?](?=\s|$)|[，；。！？、]/)
  return clauses.flatMap((clause, index) => factOf(clause, clauses.slice(0, index).join(' ')) ?? [])
})

/** @param before the clauses before it: “Jansen, phone 020 555 0142” */
function factOf(clause: string, before: string) {
  const match = predicate.exec(clause)
  const at = match?.index ?? clause.search(bareValue)
  if (at < 0) return undefined
  const { object1 = '', object2 = '', ...groups } = match?.groups ?? {}
  const relation = Object.keys(groups).find((name) => groups[name] !== undefined) ?? 'be'
  const context = subjectTerms(before)
  const subject = subjectTerms(`${clause.slice(0, at)} ${object1}${object2}`)
  return {
    subject: subject.length > 0 ? subject : context,
    context,
    values: termsOf(clause.slice(at + (match?.[0].length ?? 0))),
    relation: /工作|上班/.test(clause) ? 'work' : /\baddress\b/.test(clause) ? 'home' : relation,
    isChange: relation === 'change' || changeWords.test(clause) || /^(?:move|[搬迁挪跳])/i.test(match?.[0] ?? ''),
    isSingular: isSingular(clause),
    /** True if the value has no predicate, only the form of a value. */
    isBare: !match,
  }
}

function subjectTerms(text: string): Term[] {
  return termsOf(text.replace(/[从自].{1,10}?(?:起|开始)|\bas of \w+|[换改]|涨价?|了|address/g, ' '))
}

function termsOf(text: string): Term[] {
  return queryTerms(text).flatMap(({ shown, role, readings }): Term[] => {
    const isTime = timeValue.test(shown)
    if ((role === 'function' && !isTime) || generic.test(shown)) return []
    const term = readings[0]?.term.replaceAll(' ', '') ?? ''
    const isDate = /^(?:\d{4})?--?\d/.test(term)
    return [{ term, kind: isTime ? 'time' : isDate ? 'date' : role === 'figure' ? role : 'text' }]
  })
}

/** Compares values of the first kind that both have. Figures and times replace each other; others may both be true. */
function valuesDiffer(now: Fact, old: Fact, isShared: (term: Term) => boolean): boolean {
  const areSingular = now.isSingular && old.isSingular
  if (!now.isChange && (now.isBare || old.isBare) && !areSingular) return false
  // A house number does not make an address a figure.
  const kindOf = ({ kind }: Term) => (kind === 'figure' && now.relation === 'home' ? 'text' : kind)
  const kind = kinds.find((one) => [now, old].every(({ values }) => values.some((value) => kindOf(value) === one)))
  if (!kind || ![now, old].every(({ values }) => values.some((value) => kindOf(value) === kind && !isShared(value))))
    return false
  if (kind === 'date') return now.isChange
  if (kind !== 'text') return true
  const isOther = now.relation === 'change' ? old.relation === 'be' : now.relation === old.relation
  return isOther && (now.relation !== 'be' || areSingular)
}
