import {
  anyOf,
  handsOverText,
  hasAnyOf,
  isFirstPerson,
  isRequest,
  isTask,
  namesTime,
  parseTemporalExpressions,
  queryTerms,
  sentencesOf,
  simplify,
  type QueryTerm,
} from '#search/text'
import { lazy } from '#shared/util/lazy.ts'
import { withoutOptedOut } from './distill-notes.ts'
import { isSubstantial, parseIntent } from './intent.ts'

const interjections = `hey hi hiya hello yeah yep yup yes nope? nah wow whoa woah oh ah+ aw+ haha\\w* lol omg well okay ok sure cool great
  thanks(?:_(?:a_lot|so_much|again))? thank_you(?:_so_much)? thx nice awesome amazing absolutely definitely totally exactly agreed
  right congrats congratulations cheers no_worries no_problem of_course by_the_way btw anyway
  good_(?:morning|evening|afternoon) hallo ja nein naja na_ja ach danke(?:_dir)? super toll genau klar übrigens
  guten_(?:tag|morgen|abend) 嗯+ [哦噢喔]+ 啊+ 哇+ 哈+ 嗨 [你您]好 好的? 是的 对[啊呀的了]? 谢谢[你您啦]? 不客气 没事 话说
  はい うん ええ いや ああ わあ へえ えっと えーと そうですね? そうそう ありがとう(?:ございます)? こんにちは こんばんは
  おはよう(?:ございます)? ところで ちなみに 네 예 응 아 오 와 음 안녕(?:하세요)? 고마워요? 감사합니다 그런데 근데 참`
const interjection = anyOf(interjections)
/** The name of the person addressed. A full stop can end an answer: "Yes, Berlin." */
const vocative = '[\\s,，、]+(?:\\p{Lu}\\p{L}+|man|dude|guys|everyone|all|there)(?=\\s*(?:[!！]|[,，、]\\s*\\p{L}))'
const separator = String.raw`\s*(?:(?:[,，、.。!！~～…–—:]|-\s)+\s*|$)`
const opening = new RegExp(`^(?:${interjection}${separator}|(?:actually\\b|其实)[\\s,，、]*)`, 'iu')
const openingWithName = new RegExp(`^${interjection}(${vocative})${separator}`, 'iu')

function withoutInterjections(text: string): string {
  const plain = simplify(text)
  // The word ignores the case, a name does not. V8 sometimes ignores `(?i:…)`, so the case is checked here.
  const [start = '', name = ''] = openingWithName.exec(plain) ?? []
  const isName = /^[\s,，、]+(?:\p{Lu}|(?:man|dude|guys|everyone|all|there)$)/u.test(name)
  const length = isName ? start.length : (opening.exec(plain)?.[0].length ?? 0)
  return length === 0 ? text : withoutInterjections(text.slice(length))
}

const trailingFiller = new RegExp(
  `(?:[,，、]?\\s*(?:${anyOf('you_know haha\\w* lol xd 哈{2,} 呵{2,} 嘻{2,} [(（]笑[)）] ㅋ+ ㅎ+')}|` +
    '\\p{Extended_Pictographic}\\p{Variation_Selector}?))+(?=[.!。！~～]*$)',
  'iu',
)

const isPleasantry = new RegExp(
  `^${anyOf(`thanks(?!_to\\b) thank_you thx ha let_me_know keep_(?:me_posted|it_up) good_to_know got_it alles_klar schönes_wochenende 学到 明白 danke vielen_dank bye
    tschüss see_you take_care talk_(?:to_you_)?(?:soon|later) have_(?:fun|a_(?:nice|good|great)) good_(?:night|luck) congrat\\w*
    bis_(?:bald|später|morgen) gute_nacht 谢 感谢 再见 拜拜 晚安 ありがと さようなら おやすみ よろしく 고마 감사 안녕 잘_?자`)}`,
  'iu',
)
const isSecondPerson = hasAnyOf('you your yours du dein\\p{L}* dir dich [你您] あなた 당신')
const opinions = `
amazing awesome great good nice cool fantastic wonderful incredible beautiful lovely gorgeous super fun happy glad proud excited exciting
inspiring inspiration impressive interesting perfect special sweet important crucial thankful grateful appreciate support supportive motivate
motivation positive impact difference peaceful powerful meaningful amaze experience journey moment memory enjoy cherish definitely absolutely
totally truly always luck lucky welcome better best bad worry believe true wow yeah hey congrats sound look hear pic photo sure
super toll schön gut klasse wunderbar prima gerne freut freue
太好 真好 很好 不错 太棒 真棒 厉害 开心 高兴 哈哈 加油 期待 可惜 すごい 素敵 いい 楽しみ よかった 嬉しい 좋아 좋네 좋다 대단 멋지 멋져 기뻐 재밌`

interface KeyedText<T> {
  readonly text: string
  readonly key: T
}

const roleWeights = { function: 0, filler: 0.4, content: 1, name: 2, figure: 2 } as const
/** Added for facts about the user and for times; subtracted for sentences about the reader. */
const bonuses = { firstPerson: 1, secondPerson: -1, time: 2 } as const
/** Added for further sentences of a message in the summary: their words often refer to each other. */
const context = 6
/** Minimum value of the first sentence of a message: two facts, such as a word about the user. */
const minValue = 2
/** Added to the length of a sentence, in characters, so that short sentences are not always preferred. */
const overhead = 35
/** A longer sentence is cut if it takes more than a third of the summary, in characters. */
const maxSentence = 160
/** Limit of the sentences of a message together, in characters; a single one may be longer. */
const maxEntry = 400
const lineMarkup = 3

const opinionTerms = lazy(() => new Set(queryTerms(opinions).flatMap(({ readings }) => termOf(readings))))

/**
 * Chooses the sentences with the most facts, in the order of the messages, one entry a message. Drops questions,
 * requests, greetings, thanks, and texts that the user does not want saved.
 * @param maxCharacters of the entries as a Markdown list
 * @param isSaved returns true for a statement to leave out
 */
export function summarizeStatements<T>(
  messages: readonly KeyedText<T>[],
  maxCharacters: number,
  isSaved: (statement: string) => boolean = () => false,
): KeyedText<T>[] {
  const allowed = withoutOptedOut(messages)
  const limit = Math.min(maxCharacters + 1 - lineMarkup, Math.max(maxSentence, maxCharacters / 3))
  const seen = new Set<string>()
  const candidates = allowed.flatMap(({ text }, message) =>
    statementLinesOf(text).flatMap((statement) => {
      if (seen.has(statement) || isSaved(statement)) return []
      seen.add(statement)
      return [assess(shorten(statement, limit), message)]
    }),
  )
  const chosen = new Set(choose(candidates, maxCharacters))
  const inOrder = candidates.filter((candidate) => chosen.has(candidate))
  const byMessage = Map.groupBy(inOrder, ({ message }) => message)
  return allowed.flatMap(({ key }, message) => {
    const own = byMessage.get(message)
    return own ? [{ text: own.map(({ text }) => text).reduce(joined), key }] : []
  })
}

function joined(one: string, other: string): string {
  return /[。！」』]$/.test(one) ? one + other : `${one} ${other}`
}

/** Chooses greedily by value per character. Linear in the candidates for a fixed length. */
function choose(candidates: readonly Candidate[], maxCharacters: number): Candidate[] {
  const chosen: Candidate[] = []
  const covered = new Set<string>()
  const used = new Map<number, number>()
  const left = new Set(candidates)
  // The last line has no line break.
  let room = maxCharacters + 1
  for (;;) {
    let best: Candidate | undefined
    let bestRate = 0
    for (const candidate of left) {
      const { message, text } = candidate
      const before = used.get(message)
      if (text.length + lineMarkup > room || (before ?? -Infinity) + 1 + text.length > maxEntry) continue
      const value = valueOf(candidate, covered)
      if (value === 0 || (value < minValue && before === undefined)) continue
      const rate = (value + (before === undefined ? 0 : context)) / (text.length + overhead)
      if (rate > bestRate) [best, bestRate] = [candidate, rate]
    }
    if (!best) return chosen
    chosen.push(best)
    left.delete(best)
    room -= best.text.length + lineMarkup
    used.set(best.message, (used.get(best.message) ?? -1) + 1 + best.text.length)
    for (const word of best.weights.keys()) covered.add(word)
  }
}

/** Returns 0 for a sentence without a new word. @param covered words of the summary */
function valueOf({ weights, bonus }: Candidate, covered: ReadonlySet<string>): number {
  const added = [...weights].flatMap(([word, weight]) => (covered.has(word) ? [] : weight))
  if (!added.some((weight) => weight >= roleWeights.content)) return 0
  return Math.max(
    0,
    added.reduce((sum, weight) => sum + weight, bonus),
  )
}

type Candidate = Readonly<ReturnType<typeof assess>>

function assess(text: string, message: number) {
  const weights = new Map<string, number>()
  for (const { role, readings } of queryTerms(text)) {
    for (const term of termOf(readings)) weights.set(term, opinionTerms().has(term) ? 0 : roleWeights[role])
  }
  const plain = simplify(text)
  const hasTime = namesTime(plain) || parseTemporalExpressions(text, 0).length > 0
  const bonus =
    (isFirstPerson(plain) ? bonuses.firstPerson : 0) +
    (isSecondPerson(plain) ? bonuses.secondPerson : 0) +
    (hasTime ? bonuses.time : 0)
  return { message, text, weights, bonus }
}

function termOf([reading]: QueryTerm['readings']): string[] {
  return reading ? [reading.term] : []
}

/** Returns the statements of a message, each on one line and without openings and endings that have no content. */
function statementLinesOf(text: string): string[] {
  if (parseIntent(text).kind !== 'remember' && handsOverText(text)) return []
  const lines = text.replace(/^```[\s\S]*?(?:^```|(?![\s\S]))/gm, '').split('\n')
  return lines
    .map((line) => line.replace(/^\s*(?:(?:[-*+>]|#+|\d{1,3}[.)])\s+)+/, ''))
    .flatMap((line) => sentencesOf(line).reduce(withOrdinals, []))
    .flatMap((sentence) => statementOf(sentence.trim()))
}

/** Appends a sentence to the last one if that ends in an ordinal: "ab dem 3. Mai". */
function withOrdinals(sentences: readonly string[], sentence: string): string[] {
  const last = sentences.at(-1) ?? ''
  return / \d{1,2}\.\s+$/.test(last) ? [...sentences.slice(0, -1), last + sentence] : [...sentences, sentence]
}

function statementOf(sentence: string): string[] {
  if (isRequest(sentence)) return []
  const whole = parseIntent(sentence)
  const stated = whole.kind === 'remember' ? whole.text : sentence
  const text = withoutInterjections(stated).replace(trailingFiller, '')
  if (!isSubstantial(text)) return []
  if (whole.kind !== 'remember') {
    if (isPleasantry.test(simplify(text)) || isTask(text)) return []
    if (['optOut', 'period', 'help', 'change'].includes(parseIntent(text).kind)) return []
    // "I met Ann, who moved to Rome" and "when I was ten" are no questions.
    const [clause = ''] = text.split(/[,;:，；：]/)
    // Chinese asks in the order of a statement, so only a full stop tells them apart.
    const isTold = !/\p{Script=Han}/u.test(text) || /[。.!！]$/.test(text)
    const isAboutUser = isFirstPerson(simplify(text)) || /^when\b/i.test(text)
    if (!(isTold && isAboutUser) && parseIntent(clause).kind === 'question') return []
  }
  return [text.charAt(0).toUpperCase() + text.slice(1)]
}

/** Cuts a text that is too long after a clause, or else after a word. */
function shorten(text: string, limit: number): string {
  if (text.length <= limit) return text
  const start = text.slice(0, Math.max(0, limit - 1)).toWellFormed()
  const ends = [/^[\s\S]*[,;:，、；：–—](?!\d)/, /^[\s\S]*\s/]
  const part = ends.map((end) => end.exec(start)?.[0] ?? '').find((kept) => kept.length > limit / 2) ?? start
  return `${part.replace(/[\s,;:，、；：–—]+$/, '')}…`
}
