/**
 * The index has no list of CJK words, only bigrams (pairs of neighbouring characters). So each position of the word
 * becomes a set of possible characters, and a path through the bigrams is an alternative. Kanji are not found by
 * Japanese readings: dictionaries on npm have megabytes or a licence that does not fit.
 */
import dictionary from 'pinyin-pro/dist/esm/data/dict1.mjs'
import wordsOfTwo from 'pinyin-pro/dist/esm/data/dict2.mjs'
import wordsOfThree from 'pinyin-pro/dist/esm/data/dict3.mjs'
import surnames from 'pinyin-pro/dist/esm/data/surname.mjs'
import { lazy } from '#shared/util/lazy.ts'
import { roleOfCjk } from './stop-words.ts'
import { fold } from './terms.ts'

/** Pinyin without tones; v is ü. */
export type Letters = ReadonlySet<string>
const noLetters: Letters = new Set()

/** Limits the ways to cut words such as `xianxianxian`. */
const maxCuts = 12
const maxWordLength = 40
const maxSyllableLength = 6
/** Other ways to type ü; passports have yu. */
const otherSpellings = new Map(
  Object.entries({ lue: 'lve', nue: 'nve', lyue: 'lve', nyue: 'nve', lyu: 'lv', nyu: 'nv' }),
)

/**
 * Common readings that the short words of pinyin-pro lack. Its idioms have obsolete readings, so they are not used. 干
 * and 着 also stand for 乾 and 著 in simplified text.
 */
const commonReadings =
  '地de 粘zhan 盛cheng 熟shou 勒lei 咽ye 咖ga 嗯en 堡pu 埔bu 隽jun 谁shei 落la 嚼jiao 藏cang 食shi 夹ga 瀑bao 干qian 着zhu'

/** Characters by syllable: each has its first reading, and others that occur in short words or surnames. Takes some 40 ms. */
const lettersBySyllable = lazy((): ReadonlyMap<string, Letters> => {
  const used = new Set<string>()
  for (const [word, readings] of [wordsOfTwo, wordsOfThree, surnames].flatMap((words) => Object.entries(words)))
    for (const [at, syllable] of withoutTones(readings).split(' ').entries()) used.add(`${word[at]}${syllable}`)
  const found = new Map<string, Set<string>>()
  const add = (letter: string, syllable: string) => found.set(syllable, (found.get(syllable) ?? new Set()).add(letter))
  for (let code = 0x4e00; code <= 0x9fff; code += 1) {
    const letter = String.fromCharCode(code)
    const readings = withoutTones(dictionary.get(letter) ?? '').split(' ')
    for (const [at, syllable] of readings.entries())
      if (/[aeiouv]/.test(syllable) && (at === 0 || used.has(letter + syllable))) add(letter, syllable)
  }
  for (const reading of commonReadings.split(' ')) add(reading.charAt(0), reading.slice(1))
  return found
})

function withoutTones(readings: string): string {
  return readings
    .normalize('NFD')
    .replace(/u\u0308/g, 'v')
    .replace(/[\u0300-\u036f]/g, '')
}

const syllablesByLetter = lazy(() => {
  const found = new Map<string, string[]>()
  for (const [syllable, letters] of lettersBySyllable()) {
    for (const letter of letters) found.set(letter, [...(found.get(letter) ?? []), syllable])
  }
  return found
})

/**
 * Returns the ways to cut a word into pinyin syllables, the fewest syllables first. Spaces, apostrophes, hyphens and
 * tone numbers are boundaries. If there is no other way, the last syllable may be incomplete. Returns undefined if the
 * word is not pinyin, or one incomplete syllable.
 */
export function splitPinyin(word: string): string[][] | undefined {
  if (word.length > maxWordLength) return undefined
  const plain = word
    .toLowerCase()
    .normalize('NFD')
    .replace(/u(?:\p{Mn}*\u0308|:)/gu, 'v')
  const letters = plain.replace(/\p{Mn}/gu, '').replace(/(?<=[jqxy])v/g, 'u')
  const pieces = letters.split(/[\s'’-]+|(?<=[a-z])[1-5]/).filter(Boolean)
  const last = pieces.pop()
  if (last === undefined || ![...pieces, last].every((piece) => /^[a-z]+$/.test(piece))) return undefined
  const heads = pieces.reduce((cuts, piece) => combine(cuts, cutsOf(piece)), [[]] as string[][])
  const complete = combine(heads, cutsOf(last))
  const cuts = complete.length > 0 ? complete : combine(heads, cutsOf(last, pieces.length === 0 ? 1 : 0))
  return cuts.length === 0 ? undefined : cuts.sort((one, other) => one.length - other.length)
}

function combine(heads: readonly string[][], tails: readonly string[][]): string[][] {
  return heads.flatMap((head) => tails.map((tail) => [...head, ...tail])).slice(0, maxCuts)
}

/** @param incompleteFrom first offset of an incomplete last syllable; Infinity: all syllables are complete */
function cutsOf(piece: string, incompleteFrom = Infinity): string[][] {
  const cutsFrom: string[][][] = []
  cutsFrom[piece.length] = incompleteFrom === Infinity ? [[]] : []
  for (let at = piece.length - 1; at >= 0; at -= 1) {
    const rest = piece.slice(at)
    const cuts = at >= incompleteFrom && syllablesBeginning(rest).length > 0 ? [[rest]] : []
    for (let length = Math.min(rest.length, maxSyllableLength); length > 0; length -= 1) {
      const typed = rest.slice(0, length)
      const syllable = otherSpellings.get(typed) ?? typed
      if (!lettersBySyllable().has(syllable)) continue
      for (const tail of cutsFrom[at + length] ?? []) cuts.push([syllable, ...tail])
    }
    cutsFrom[at] = cuts.slice(0, maxCuts)
  }
  return cutsFrom[0] ?? []
}

function syllablesBeginning(text: string): string[] {
  return [...lettersBySyllable().keys()].filter((syllable) => syllable.startsWith(text))
}

function lettersOf(syllables: readonly string[]): Letters {
  return new Set(syllables.flatMap((syllable) => [...(lettersBySyllable().get(syllable) ?? noLetters)]))
}

/** Returns the characters of a typed syllable. Folding a query turns ü into u, so `lu` and `nu` stand for both. */
export function lettersOfSyllable(syllable: string): Letters {
  return lettersOf(/^[ln]u$/.test(syllable) ? [syllable, syllable.replace('u', 'v')] : [syllable])
}

export function lettersBeginning(text: string): Letters {
  return lettersOf(syllablesBeginning(text))
}

export function homophonesOf(letter: string): Letters {
  return lettersOf(syllablesByLetter().get(letter) ?? []).union(new Set([letter]))
}

export interface SoundAlternative {
  /** At least two characters, folded. */
  readonly term: readonly string[]
  /** In (0, 1): the weight of an occurrence, relative to the word as written. */
  readonly weight: number
}

interface Candidate extends SoundAlternative {
  /** Number of documents with its rarest bigram. */
  readonly documents: number
}

const weights = { kana: 0.9, pinyin: 0.7, oneCharacter: 0.6, incomplete: 0.5, twoCharacters: 0.35, initials: 0.3 }
const maxAlternatives = 8
/** Number of alternatives passed to `isIndexed`, which may read the index. */
const maxChecked = 32
/** Limits the time for initials, which match many paths. */
const maxPaths = 256
const minInitials = 3

const similarLetters = lazy(() => {
  const found = new Map<string, Set<string>>()
  for (const group of lookAlikes.trim().split(/\s+/)) {
    for (const letter of group) found.set(letter, new Set([...(found.get(letter) ?? []), ...group]))
  }
  return found
})

function bothKana(letter: string): Letters {
  const offset = /[ぁ-ゖ]/.test(letter) ? 0x60 : /[ァ-ヶ]/.test(letter) ? -0x60 : 0
  return new Set([letter, String.fromCodePoint((letter.codePointAt(0) ?? 0) + offset)])
}

const syllablesPerInitial = 588
/** Input methods join two consonants into one letter; NFKC makes it a final consonant. */
const joinedConsonants = new Map(
  'ᆪᄀᄉ ᆬᄂᄌ ᆭᄂᄒ ᆰᄅᄀ ᆱᄅᄆ ᆲᄅᄇ ᆳᄅᄉ ᆴᄅᄐ ᆵᄅᄑ ᆶᄅᄒ ᆹᄇᄉ'
    .split(' ')
    .map(([joined = '', ...consonants]) => [joined, consonants]),
)

/** @param consonant U+1100 to U+1112 */
function syllablesOfInitial(consonant: string): Letters {
  const first = 0xac00 + (consonant.charCodeAt(0) - 0x1100) * syllablesPerInitial
  return new Set(Array.from({ length: syllablesPerInitial }, (_, index) => String.fromCharCode(first + index)))
}

export class SoundIndex {
  readonly #next = new Map<string, Map<string, number>>()

  /** @param bigrams terms of the index with their numbers of documents; terms of another length are ignored */
  constructor(bigrams: Iterable<readonly [term: string, documents: number]>) {
    for (const [term, documents] of bigrams) {
      const [first, second, third] = term
      if (first === undefined || second === undefined || third !== undefined) continue
      const following = this.#next.get(first)
      if (following) following.set(second, documents)
      else this.#next.set(first, new Map([[second, documents]]))
    }
  }

  /**
   * Returns words of the memory that may stand for a word, best first. A syllable or a character alone has none.
   * @param word as typed; pinyin may contain spaces and tones
   * @param isIndexed returns true if these characters, three or more, occur one after the other. Their bigrams do, but
   *   perhaps not together.
   */
  alternatives(word: string, isIndexed: (term: readonly string[]) => boolean = () => true): SoundAlternative[] {
    const own = fold(word)
    const best = new Map<string, Candidate>()
    for (const candidate of this.#candidates(word, [...own])) {
      const key = candidate.term.join('')
      if (key === own || candidate.weight <= (best.get(key)?.weight ?? 0)) continue
      if (roleOfCjk(key) !== 'function') best.set(key, candidate)
    }
    return [...best.values()]
      .sort((one, other) => other.weight - one.weight || other.documents - one.documents)
      .slice(0, maxChecked)
      .values()
      .filter(({ term }) => term.length === 2 || isIndexed(term))
      .take(maxAlternatives)
      .toArray()
  }

  #candidates(word: string, letters: readonly string[]): Candidate[] {
    const text = letters.join('')
    const cuts = splitPinyin(word)
    if (cuts) return cuts.flatMap((cut) => this.#pinyin(cut))
    if (/^[a-z]+$/.test(text)) return letters.length < minInitials ? [] : this.#initials(letters)
    const consonants = letters.flatMap((letter) => joinedConsonants.get(letter) ?? [letter])
    if (consonants.every((letter) => /[\u1100-\u1112]/.test(letter))) {
      return this.#found(consonants.map(syllablesOfInitial), () => weights.initials)
    }
    if (/[ぁ-ゖァ-ヶ]/.test(text)) return this.#found(letters.map(bothKana), () => weights.kana)
    return /^\p{Script=Han}+$/u.test(text) ? this.#han(letters) : []
  }

  #pinyin(cut: readonly string[]): Candidate[] {
    const last = cut.at(-1) ?? ''
    const exact = lettersOfSyllable(last)
    // After a single syllable, one letter begins too many others.
    const all = last.length > 1 || cut.length > 2 ? exact.union(lettersBeginning(last)) : exact
    return this.#found([...cut.slice(0, -1).map(lettersOfSyllable), all], (term) =>
      exact.has(term.at(-1) ?? '') ? weights.pinyin : weights.incomplete,
    )
  }

  #initials(letters: readonly string[]): Candidate[] {
    // A function word at an end shows a piece of a sentence.
    const isPiece = (term: readonly string[]) =>
      [term.at(0), term.at(-1)].some((letter) => roleOfCjk(letter ?? '') === 'function')
    return this.#found(letters.map(lettersBeginning), (term) => (isPiece(term) ? 0 : weights.initials))
  }

  #han(letters: readonly string[]): Candidate[] {
    const changes = (term: readonly string[]) => {
      const changed = term.flatMap((letter, index) => (letter === letters[index] ? [] : [`${letters[index]}${letter}`]))
      // A repeated character (糖糖) is mistaken twice.
      const distinct = new Set(changed).size
      // If all characters differ, it is mostly another word.
      return distinct > 1 && changed.length === letters.length ? Infinity : distinct
    }
    const byChanges = [0, weights.oneCharacter, weights.twoCharacters]
    const similar = letters.map((letter) => similarLetters().get(letter) ?? new Set([letter]))
    return [
      ...this.#found(letters.map(homophonesOf), (term) => byChanges[changes(term)] ?? 0),
      ...this.#found(similar, (term) => (changes(term) === 1 ? weights.oneCharacter : 0)),
    ]
  }

  /** Finds the paths through the bigrams, those in most documents first. @param weightOf 0 if it is no alternative */
  #found([start, ...others]: readonly Letters[], weightOf: (term: readonly string[]) => number): Candidate[] {
    if (others.length === 0) return []
    let paths = [...(start ?? [])].map((letter) => ({ term: [letter], documents: Infinity }))
    for (const position of others) {
      const longer: typeof paths = []
      for (const { term, documents } of paths) {
        for (const [letter, together] of this.#next.get(term.at(-1) ?? '') ?? []) {
          if (position.has(letter)) longer.push({ term: [...term, letter], documents: Math.min(documents, together) })
        }
      }
      paths = longer.sort((one, other) => other.documents - one.documents).slice(0, maxPaths)
    }
    return paths.map((path) => ({ ...path, weight: weightOf(path.term) })).filter(({ weight }) => weight > 0)
  }
}

export const lookAlikes = `
末未 己已巳 士土 大太 人入 日曰 干千于 天夭 王玉 刀力 九丸 牛午 贝见 木本 今令 甲由申 风凤 乌鸟 鸣呜 兔免 折拆 拆诉 斤斥 历厉 既即 治冶 准淮 冷泠 洒酒 酬酌 辨辩辫瓣 徒徙陡 崇祟 茶荼
戊戌戍 灸炙 脏赃 肓盲 狠狼 银很 郎朗 娘酿 幻幼 扰拢 优忧 抗坑 杭抗 坊妨防 访仿 沦论轮 伦论 抢抡 沧沦 苍仓 睁挣 铮挣 请清情晴睛精 蜻清 圆园 圆圈 院完 皖皓 腕碗婉惋 傅博 搏博膊 缚傅 簿薄
浦铺捕辅哺 襄囊 壤嚷镶 霉莓梅 悔海侮诲 毋母 详祥 洋样 轭扼 危厄 诡跪脆 渝愉榆 愉偷 输愉 喻俞 段假 锻缎 锻煅 糖塘搪 棠堂 掌裳 偿赏 常尝 晓烧浇绕挠饶 粉纷份 纷芬 盼扮 蓝篮 滥蓝 栏拦烂 闸闹
闪闯 问间 闷闻 闰润 阀阅 拼瓶 饼拼 种钟 肿种 称秤 评坪秤 旦且 担胆但 坦垣 史吏 吏使 丈文 叉又 义叉 习刁 司同 奇寄 椅倚 崎畸 峙持 侍待 恃持 墨黑 暮幕慕墓募 摹暮 漠模膜摸 寞漠 裸棵 棵颗
课棵 喝渴 揭竭 谒渴 歇揭 葛蔼 撒撤撇 撤澈 辙撤 赔陪 倍陪 培陪 部陪 剖部 音暗 竟竞 竟境 境镜 亿忆 爪瓜 抓瓜 狐弧孤 厂广 庆厌 庄压 床庆 厕侧 侧测 橱厨 厢箱 湘厢 逝浙 哲浙 誓逝 微徽
霄宵 宵消 硝销消 稍梢捎 削销 俏悄峭 妹姝 味昧 珠株蛛 诛株 抹沫 沐沫 茉末 崔催 催摧 瞻赡檐 搞稿镐 享亨 亭享 停婷 孰熟 热势 执热 垫热 浆桨 奖桨 奖浆 酱浆 粱梁 染柒 膝漆 籍藉 署暑 薯署
堵赌睹 猪诸 储诸 绿录 绿缘 椽缘 碌绿 仪议 蚁仪 毫豪 毫亳 壕嚎 嬴赢羸 脾牌 碑牌 啤脾 蔡察 擦察 蜜密 棘刺 刺剌 懒赖 獭懒 柬束 拣练炼 栋拣 冻陈 陈阵 轨轧 较轿桥 侨娇骄 迁迂 迟迭 送迭 冼洗
券卷 倦卷 巷港 援缓暖 媛援 受爱 授受 漫慢馒 蔓漫 沽沾 泸沪 估沽 拘抱 泡抱 抄炒 钞抄 吵炒 沙炒 呼吁 拍柏 柏伯 泊柏 怕拍 宇字 宁宇 宋末 宣宜 官宫 管营 营菅 营宫 密宓 穷劳 茅芽 节芬 芒茫
芦庐 苦若 苔若 莱菜 菜采 彩采 菠波 坡披 坡波 破坡 被披 玻坡 疲疫 病疾 痒痛 症疟 疤疮 皿血 血盅 盂孟 盏盖 盘盒 多夕 名各 各务 备务 冬各 处外 朴补 扑朴 往住 住佳 往任 佳桂 住注 柱注 驻注
役没 设没 沿没 役投 投设 杨扬 扬场 汤场 肠扬 畅肠 阳阴 附咐 付附 村材 才材 财材 杜社 肚杜 壮状 牡壮 伏优 代伐 戈弋 成戍 我找 栽裁载 戴载 截戴 戚威 咸威 成威 感惑 撼憾 或惑 域城 诚城
侯候 拔拨 泼拨 栗粟 师帅 目且 佘余 汨汩 鼓豉 弛驰 贷货 遣遗 幸辛 拙绌 延廷 诞延 庭廷 衰哀衷 侵浸 杳查 杏否 季李 冠寇 陷馅 掐陷 焰陷 端瑞喘 揣喘 孩该 刻核 肋助 沮租 组祖租 杖仗 杯怀坏
环坏 钩钓 均钧 钓钧 钉订 子孑 西酉 四匹 巴巳 百白 白自目 因困囚 固因 昊吴 旱早 星显 童章 祝视 初补 袖柚抽油 酥酣 宽觉 览宽 党觉 学字 学觉 榜膀磅傍 徘排 职识织 颖颍 彬杉 彤形 萤莹荧 茵菌
栅珊 澡操燥躁 峰蜂锋 烽锋 拌伴 拦拉 挂桂 蛙娃洼 跑炮 饱跑 苗笛 笼茏 蒸燕 暑者 菱凌陵 绫菱 腊蜡猎 惜借错措 慎镇填 真直 具真 县具 孙逊 秃秀 透诱锈
`
