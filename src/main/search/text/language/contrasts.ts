import { hasAnyOf } from './words.ts'

/** Sides of contrasts: a line about one side says nothing about another. Entries are as in `hasAnyOf`. */
const contrasts = [
  `mum mom mother 妈 母亲 / dad father 爸 父亲 / kids? children 孩子 / wife husband partner 老公 丈夫 老婆 妻子 太太 / grandm\\w+ 奶 外婆 姥姥 / grandpa
   grandfather 爷 外公 姥爷 / uncle 叔 舅 伯 / aunt 姨 姑 / son 儿子 / daughter 女儿 / brother 哥 弟 / sister 姐 妹 / boss 老板 / landlord 房东 / neighbou?r 邻居 /
   teacher 老师 师傅 / doctor dr 医生 大夫`,
  `home house private personal 家里 我们家 我家 / 店面 商铺 店里 / office work studio business clients? company 公司 单位 办公室 / joint`,
  `last previous 去年 上次 / this 今年 这次 / next 明年 下次`,
  `weekdays? 平时 工作日 / weekends? sundays? saturdays? 周末`,
  `staging test 测试 / production live 生产`,
  `flat house / cellar basement / garage / car / bike bicycle`,
  `mornings? 早 / evenings? 晚 / noon afternoon 中午 下午`,
  `left 左 / right 右`,
  `winter 冬 / summer 夏 / spring 春 / autumn 秋`,
  `upstairs 楼上 / downstairs 楼下`,
].map((sides) => sides.split(' / ').map((side) => hasAnyOf(side)))

/** Returns the sides of each contrast that a folded text has. */
export function sidesIn(text: string): readonly ReadonlySet<number>[] {
  return contrasts.map((sides) => new Set(sides.flatMap((isIn, at) => (isIn(text) ? [at] : []))))
}

/** Returns true if a word names a person, and the text does not. Both folded. */
export function hasOtherSide(word: string, text: string): boolean {
  const [people = []] = contrasts
  return people.some((isIn) => isIn(word) && !isIn(text))
}
