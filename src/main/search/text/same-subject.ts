/**
 * Compares an older and a newer line: do they tell one fact, so that the newer one may replace the older? Similarity finds
 * such pairs but does not tell a change from two true facts. Words of change in the newer line do, the kind of value in
 * both, contrasts, and whether a line tells of an event or a task.
 */
import { simplify } from '#shared/util/han.ts'
import { queryTerms, type QueryTerm } from '../query/parse-query.ts'
import { sidesIn } from './language/contrasts.ts'
import { chineseWeekday, hasAnyOf, monthName, weekdayName } from './language/words.ts'
import { toPlainText } from './plain-line.ts'
import { fold } from './terms.ts'

const isTask =
  hasAnyOf(`^(?:call|ring|buy|pick|book|ask|order|return|renew|remember|remind|fetch|bring|write|send|get|pay|take|need|todo|collect|clean|cancel)\\b
  due deadline to_do ^下?周[一二三四五六日天] ^(?:记得|提醒|别忘) [要得](?:买|交|打|去|给) \\d{4}-\\d\\d-\\d\\d`)
/** A line about what happened once states no lasting fact. */
const isEvent =
  hasAnyOf(`^(?:[a-z][\\w'’-]+_(?:and_\\w+_)?|i_|we_|my_\\w+_)?(?:\\w{2,}ed|bought|sent|went|had|got|took|paid|came|made|gave|told|met|saw|found|lost|left|sold|slept|ran|ate|read|wrote|drove|rode|swam|fell|broke|rang|called|felt|heard|kept|brought|caught|held|stood|walked|sat|spent|woke|put|cut|let|shut|did)\\b(?!_at\\b)
  yesterday today tonight this_(?:morning|evening) last_night ago just 今天 昨天 刚才 今早 昨晚 了[一两三四五六七八九十半个只条次顿锅罐坛天张]
  ^\\p{Script=Han}{1,3}了`)
const isChange =
  hasAnyOf(`now new no_longer instead any_?more changed? changes switch\\w* moved? moves moving swap\\w* replac\\w* raised? raises rises? rose (?:went|goes|going|gone)_up
  (?:up|down|cut)_to dropped lowered bumped pushed postponed shifted renamed becomes became as_of from_(?:now|next|tomorrow|${weekdayName}|${monthName}) since quit
  stopped left gave_up taken_over takes_over took_over done_with over_to rescheduled extended correction 现在 新(?!年|疆|鲜) 不再 不用了 改 换 涨 降[价到] 升[到级]
  搬 调[到成整] 推迟 延[期到] 提前 停了 取消 退了 转[到去] 跳槽 变成 成了 以后 从今 更正 已经不`)

/** Values that are measured again and again: each line stays true. */
const isMeasured = hasAnyOf(
  `weight weigh(?:s|ed)? pressure temperature score balance mileage odometer (?:meter|gas|water|power)_readings? 读数 电表 水表 体重 血压 血糖 体温 气温 心率 余额`,
)

/** Occasions that recur, such as meals, visits and purchases. */
const isOccasion =
  hasAnyOf(`breakfasts? brunch lunch(?:es)? dinners? supper drinks appointments? visit(?:s|ed)? groceries taxi coffee parking haircut petrol fuel ran swam walk(?:s|ed)? run
  早饭 早餐 午饭 午餐 晚饭 晚餐 聚餐 宵夜 夜宵 预约 看望 打车 停车 理发 咖啡 奶茶 加油 买菜 跑步 散步`)

const valueKinds = [
  String.raw`\b\d{1,2}[:.]\d\d\b(?!\s*(?:€|euro?|kg|km))|\b\d{1,2} ?[ap]m\b|[一二三四五六七八九十两\d]+点`,
  String.raw`\b(?:${weekdayName}|mon|tues?|wed|thu(?:rs)?|fri|sat|sun)s?\b|${chineseWeekday}|周[天末]`,
  String.raw`\b\d[\d -]{5,}\d\b`,
  String.raw`\b\d{1,2}(?:st|nd|rd|th)?(?: of)? ${monthName}|\b${monthName} \d|\d+月\d+[日号]?|\d{4}-\d\d-\d\d`,
  String.raw`\d|[一二三四五六七八九十百千万两]{2,}|[一二三四五六七八九十百千两][块元个斤片次杯粒毫]`,
].map((pattern) => new RegExp(pattern, 'i'))

export interface SubjectTerm extends QueryTerm {
  readonly folded: string
  readonly isHan: boolean
}

export type SubjectLine = ReturnType<typeof subjectLineOf>

export interface WordMeasures {
  /** Inverse document frequency. */
  idf(term: SubjectTerm): number
  cosine(one: string, other: string): number
}

const entryStart = /^\s*(?:[-*+]\s+)?(?:\[[ xX]\]\s+)?(?:\d{1,2}:\d\d\s+(?:[-–—]\s+)?)?/

/** @param text with or without list mark and time */
export function subjectLineOf(text: string) {
  const plain = simplify(toPlainText(text.replace(entryStart, '')))
  const terms = subjectTerms(plain)
  return {
    terms,
    /** Terms that say what the line is about. */
    content: terms.filter(({ role }) => role !== 'figure' && role !== 'filler'),
    /** Index terms of all words. */
    readings: new Set(terms.flatMap(({ readings }) => readings.map(({ term }) => term))),
    folded: fold(plain),
    sides: sidesIn(plain),
    valueKinds: valueKinds.filter((pattern) => pattern.test(plain)),
    isTask: isTask(plain),
    isEvent: isEvent(plain),
    isChange: isChange(plain),
    isMeasured: isMeasured(plain),
    isOccasion: isOccasion(plain),
  }
}

export function subjectTerms(text: string): SubjectTerm[] {
  return queryTerms(text).flatMap(({ shown, role, readings }) =>
    role === 'function' ? [] : { shown, role, readings, folded: fold(shown), isHan: /\p{Script=Han}/u.test(shown) },
  )
}

/** Minimum cosine at which two words count as similar. */
const minSimilar = 0.3
/** Similarity of a longer Chinese word of which the line has two letters in a row. */
const partSimilarity = 0.6

/** Returns 1 if a line has a word, else the cosine of its most similar word, if there is one. */
function similarityOf(term: SubjectTerm, line: SubjectLine, words: WordMeasures): number {
  const { shown, role, readings, folded, isHan } = term
  if (isHan ? line.folded.includes(folded) : readings.some((reading) => line.readings.has(reading.term))) return 1
  if (role === 'figure') return 0
  let best = 0
  for (const other of line.terms) if (other.role !== 'figure') best = Math.max(best, words.cosine(shown, other.shown))
  const pairs = isHan && folded.length > 2 ? Array.from(folded.slice(1), (letter, at) => folded[at] + letter) : []
  if (pairs.some((pair) => line.folded.includes(pair))) best = Math.max(best, partSimilarity)
  return best > minSimilar ? best : 0
}

const factors = { function: 0, filler: 0.5, content: 1, name: 1.6, figure: 0.6 } as const

/** Returns the share of the terms that a line has, by their weight. */
export function coverageOf(
  terms: readonly SubjectTerm[],
  line: SubjectLine,
  words: WordMeasures,
  weightOf = (term: SubjectTerm) => words.idf(term) * factors[term.role],
): number {
  let [sum, total] = [0, 1e-9]
  for (const term of terms) {
    const weight = weightOf(term)
    total += weight
    sum += weight * similarityOf(term, line, words)
  }
  return sum / total
}

/** The first words of a line say what it is about. */
const maxClosest = 6
const largestIdf = 8

export function pairPropertiesOf(old: SubjectLine, newer: SubjectLine, words: WordMeasures) {
  const shared = coverageOf(old.content, newer, words, words.idf)
  const closeness = old.content.slice(0, maxClosest).flatMap((one) =>
    newer.content.slice(0, maxClosest).map((other) => {
      const similarity = one.folded === other.folded ? 1 : words.cosine(one.shown, other.shown)
      return similarity * Math.min(words.idf(one), words.idf(other))
    }),
  )
  const isContrast = old.sides.some((sides, at) => {
    const others = newer.sides[at] ?? new Set()
    return sides.size > 0 && others.size > 0 && sides.isDisjointFrom(others)
  })
  return {
    /** Share of the older line that the newer one has. */
    shared,
    /** The same, if the newer line has a word of change, else 0. */
    changed: newer.isChange ? shared : 0,
    /** Similarity of the most similar words, by their rarity. */
    closest: Math.max(0, ...closeness) / largestIdf,
    /** 1 if both lines have a value of one kind, such as a time. */
    sameKind: Number(old.valueKinds.some((kind) => newer.valueKinds.includes(kind))),
    /** 1 if the lines are about two sides of a contrast, such as two people. */
    contrast: Number(isContrast),
    newTask: Number(newer.isTask),
    oldEvent: Number(old.isEvent),
    oldChange: Number(old.isChange),
  }
}

/** Returns true for lines that repeat by nature: both stay true. */
export function areRepeated(old: SubjectLine, newer: SubjectLine): boolean {
  return old.isMeasured || newer.isMeasured || (old.isOccasion && newer.isOccasion && !newer.isChange)
}
