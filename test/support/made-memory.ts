/**
 * Generates a memory for benchmarks of the suggestions: logs, MEMORY.md and project notes of two people. Deterministic
 * for a seed. Contains duplicates (verbatim, reformatted, reordered, shortened, paraphrased), contradictions and
 * superseded facts (the same sentence with another value, not duplicates), expired lines, and decoys. Returns the
 * planted lines with it.
 */
import { randomOf } from './random.ts'

export interface MadeMemory {
  readonly files: Record<string, string>
  /** `[original, repeated]`, without list marks. */
  readonly duplicates: readonly (readonly [string, string])[]
  readonly contradictions: readonly (readonly [string, string])[]
  /** `[old, new]`. */
  readonly superseded: readonly (readonly [string, string])[]
  readonly expired: readonly string[]
}

const people =
  'Anna Ben Carla Deepak Elif Farid Greta Hiro Ines Jonas Keiko Lars Mona Nadia Omar Paula Quinn Rosa Samir Tess'.split(
    ' ',
  )
const projects = 'Aurora Basalt Cobalt Dune Ember Fjord Garnet Harbor Indigo Juniper Kestrel Lagoon'.split(' ')
const tools = 'Postgres Redis Kafka Terraform Grafana Elasticsearch RabbitMQ Jenkins Vault Nginx Docker Ansible'.split(
  ' ',
)
const cities = 'Lisbon Oslo Kyoto Bogota Tallinn Porto Ghent Turin Graz Malmo Bilbao Utrecht'.split(' ')
const things = 'invoice contract passport insurance lease subscription warranty permit certificate licence'.split(' ')
const places = 'garage kitchen attic cellar office workshop balcony studio'.split(' ')
const zhPeople = '小李 老王 张敏 陈静 刘洋 赵磊 孙悦 周杰 吴涛 郑爽'.split(' ')
const zhThings = '发票 合同 护照 保险 租约 会员 保修单 签证 证书 驾照'.split(' ')

interface Fact {
  readonly text: string
  /** The same sentence with another value. */
  readonly other: string
  /** A paraphrase. */
  readonly paraphrase: string
}

export function makeMemory(seed = 61, size = 2000): MadeMemory {
  const random = randomOf(seed)
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T
  const whole = (from: number, to: number) => from + Math.floor(random() * (to - from + 1))
  const money = () => `${whole(12, 990)} euros`
  const clock = () => `${String(whole(7, 20)).padStart(2, '0')}:${pick(['00', '15', '30', '45'])}`
  const port = () => String(whole(1024, 65000))

  const kinds: (() => Fact)[] = [
    () => {
      const [who, tool, project, a] = [pick(people), pick(tools), pick(projects), port()]
      return {
        text: `${project} runs ${tool} on port ${a}, set up by ${who}.`,
        other: `${project} runs ${tool} on port ${port()}, set up by ${who}.`,
        paraphrase: `${tool} of ${project} listens on port ${a}; ${who} set it up.`,
      }
    },
    () => {
      const [who, city, what] = [
        pick(people),
        pick(cities),
        pick(['brother', 'cousin', 'dentist', 'landlord', 'accountant', 'tailor']),
      ]
      const second = pick(cities.filter((one) => one !== city))
      const sum = money()
      return {
        text: `${who}'s ${what} lives in ${city} and asks ${sum} for a visit.`,
        other: `${who}'s ${what} lives in ${second} and asks ${sum} for a visit.`,
        paraphrase: `The ${what} of ${who} resides in ${city}; a visit costs ${sum}.`,
      }
    },
    () => {
      const [who, time, place] = [pick(people), clock(), pick(places)]
      return {
        text: `${who} waters the plants in the ${place} every Tuesday at ${time}.`,
        other: `${who} waters the plants in the ${place} every Friday at ${time}.`,
        paraphrase: `Every Tuesday at ${time} the plants in the ${place} are watered by ${who}.`,
      }
    },
    () => {
      const [project, tool] = [pick(projects), pick(tools)]
      const second = pick(tools.filter((one) => one !== tool))
      const days = whole(2, 90)
      return {
        text: `Backups of ${project} go to ${tool} and are kept for ${days} days.`,
        other: `Backups of ${project} go to ${second} and are kept for ${days} days.`,
        paraphrase: `We keep the backups of ${project} in ${tool} for ${days} days.`,
      }
    },
    () => {
      const [who, sum, thing] = [pick(people), money(), pick(things)]
      return {
        text: `The ${thing} for ${who} cost ${sum} and lies in the ${pick(['blue', 'green', 'grey'])} folder.`,
        other: `The ${thing} for ${who} cost ${money()} and lies in the ${pick(['blue', 'green', 'grey'])} folder.`,
        paraphrase: '',
      }
    },
    () => {
      const [who, project, branch] = [pick(people), pick(projects), whole(100, 999)]
      const second = pick(people.filter((one) => one !== who))
      return {
        text: `${who} reviews pull request ${branch} of ${project} before anything is merged.`,
        other: `${second} reviews pull request ${branch} of ${project} before anything is merged.`,
        paraphrase: `Before anything is merged in ${project}, pull request ${branch} is reviewed by ${who}.`,
      }
    },
    () => {
      const [who, time, gate] = [pick(zhPeople), whole(6, 21), whole(1, 99)]
      return {
        text: `${who}每周二${time}点在${gate}号球馆打羽毛球。`,
        other: `${who}每周四${time}点在${gate}号球馆打羽毛球。`,
        paraphrase: `每周二${time}点，${who}会到${gate}号球馆打羽毛球。`,
      }
    },
    () => {
      const [who, thing, room] = [pick(zhPeople), pick(zhThings), whole(101, 990)]
      return {
        text: `${who}的${thing}放在${room}房间的抽屉里。`,
        other: `${who}的${thing}放在${whole(101, 990)}房间的抽屉里。`,
        paraphrase: `${room}房间的抽屉里放着${who}的${thing}。`,
      }
    },
  ]

  const reformatted = (text: string) =>
    pick([
      (one: string) => one,
      (one: string) => one.replace(/[.。]$/, ''),
      (one: string) => one.replace(/^(\S+)/, '**$1**'),
      (one: string) => one.replace(/\bfor\b/, ' for').replace(/,/, ', '),
      (one: string) => `${one.replace(/[.。]$/, '')}!`,
      (one: string) => (/[a-z]/.test(one) ? `Note: ${one}` : `备注：${one}`),
      (one: string) => (/[a-z]/.test(one) ? one.replace(/[.]$/, ', as before.') : one),
    ])(text)

  const used = new Set<string>()
  const fresh = (): Fact => {
    for (;;) {
      const fact = pick(kinds)()
      if (fact.text === fact.other || used.has(fact.text) || used.has(fact.other)) continue
      used.add(fact.text)
      return fact
    }
  }

  const days = Array.from({ length: 120 }, (_, index) => new Date(Date.UTC(2026, 5, 1) + index * 86_400_000))
  const iso = (date: Date) => date.toISOString().slice(0, 10)
  const logs = new Map<string, string[]>(days.map((date) => [`memory/${iso(date)}.md`, []]))
  const notes = new Map<string, string[]>(projects.map((name) => [`projects/${name}.md`, []]))
  const memory: string[] = []
  const put = (text: string, where = random()): void => {
    const list = where < 0.15 ? memory : where < 0.35 ? pick([...notes.values()]) : pick([...logs.values()])
    list.push(text)
  }

  const duplicates: [string, string][] = []
  const contradictions: [string, string][] = []
  const superseded: [string, string][] = []
  const expired: string[] = []
  for (let made = 0; made < 120; made += 1) {
    const { text, paraphrase } = fresh()
    // One in four paraphrased, one in four verbatim, the others edited slightly.
    const repeated = made % 4 === 0 && paraphrase !== '' ? paraphrase : made % 4 === 1 ? text : reformatted(text)
    put(text)
    put(repeated)
    duplicates.push([text, repeated])
  }
  for (const list of [contradictions, superseded])
    for (let made = 0; made < 40; made += 1) {
      const { text, other } = fresh()
      used.add(other)
      put(text)
      put(other)
      list.push([text, other])
    }
  const ahead = [
    (date: Date) => `${pick(people)} is away until ${weekdayAfter(date, 3)}.`,
    (date: Date) => `Submit the ${pick(things)} by ${iso(plus(date, whole(3, 20)))}.`,
    (date: Date) => `The ${pick(places)} is closed until ${english(plus(date, whole(4, 25)))}.`,
    () => `Pay the ${pick(things)} before the end of the month.`,
    (date: Date) => `The offer from ${pick(cities)} expires on ${english(plus(date, whole(3, 20)))}.`,
    () => `${pick(people)} has the car until tomorrow.`,
    () => `下周之前要交${pick(zhThings)}。`,
    () => `${pick(zhPeople)}请假到周五为止。`,
    (date: Date) => `${pick(zhThings)}的有效期至${chinese(plus(date, whole(3, 20)))}。`,
    () => `${pick(zhPeople)}月底前还${pick(zhThings)}。`,
  ]
  for (let made = 0; made < 30; made += 1) {
    const date = pick(days)
    const text = `${pick(ahead)(date)} (${made + 1})`.replace(/ \((\d+)\)$/, (_, at: string) =>
      made % 2 === 0 ? '' : ` [${at}]`,
    )
    logs.get(`memory/${iso(date)}.md`)?.push(text)
    expired.push(text)
  }
  // Decoys: lines that look expired but are not.
  for (let made = 0; made < 40; made += 1) {
    const date = pick(days)
    const text = pick([
      () => `${pick(people)} lived in ${pick(cities)} until ${whole(1990, 2019)}.`,
      () => `The ${pick(places)} was renovated by ${iso(plus(date, -whole(20, 300)))}.`,
      () => `${pick(people)} worked for ${pick(projects)} until May ${whole(1, 28)}, ${whole(2001, 2024)}.`,
      () => `Submit the ${pick(things)} by ${iso(new Date(Date.UTC(2027, whole(0, 11), whole(1, 28))))}.`,
      () => `${pick(people)} read a book by ${pick(people)} before breakfast.`,
      () => `${pick(zhPeople)}以前住在${whole(1, 60)}号楼。`,
      () => `Nobody leaves until ${pick(people)} has locked the ${pick(places)}.`,
    ])()
    logs.get(`memory/${iso(date)}.md`)?.push(text)
  }
  const count = () => memory.length + [...logs.values(), ...notes.values()].reduce((sum, list) => sum + list.length, 0)
  while (count() < size) put(fresh().text)

  const item = (text: string) => `- ${text}`
  const files: Record<string, string> = { 'MEMORY.md': '# Long-term memory\n\n' }
  for (let from = 0, part = 1; from < memory.length; from += 20, part += 1)
    files['MEMORY.md'] += `## Part ${part}\n\n${memory
      .slice(from, from + 20)
      .map(item)
      .join('\n')}\n\n`
  for (const [path, list] of notes) files[path] = `# ${path}\n\n${list.map(item).join('\n')}\n`
  for (const [path, list] of logs)
    files[path] =
      `# ${path.slice(7, 17)}\n\n${list.map((text, at) => `## ${String(8 + (at % 12)).padStart(2, '0')}:00 - Note ${at + 1}\n\n${item(text)}\n`).join('\n')}`
  return { files, duplicates, contradictions, superseded, expired }
}

const weekdayNames = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']
const monthNames = 'January February March April May June July August September October November December'.split(' ')
const plus = (date: Date, count: number) => new Date(date.getTime() + count * 86_400_000)
const weekdayAfter = (date: Date, count: number) => weekdayNames[plus(date, count).getUTCDay()] ?? ''
const english = (date: Date) => `${monthNames[date.getUTCMonth()]} ${date.getUTCDate()}`
const chinese = (date: Date) => `${date.getUTCMonth() + 1}月${date.getUTCDate()}日`
