/** The dates in the templates of the demo, relative to its first start. */
const locales = { en: 'en-GB', zh: 'zh-CN' }
/** Largest number of minutes before the first start. */
const maxMinutes = 240
const placeholder = /\{\{(day|weekday|date|time)([+-]\d+)\}\}/g

export class DemoDates {
  #now
  #locale

  /** @param now time of the first start @param language `en` or `zh` */
  constructor(now, language) {
    this.#now = now
    this.#locale = locales[language]
  }

  /** Time of the first start, ms since the epoch. */
  get now() {
    return this.#now.getTime()
  }

  /** Replaces `{{day-3}}` (2026-11-26), `{{weekday-3}}`, `{{date-3}}` (26 November) and `{{time-90}}` (HH:MM). */
  expand(text) {
    return text.replace(placeholder, (_, kind, offset) => this.#format(kind, Number(offset)))
  }

  /** Returns the path of a note, whose template of a daily log is named `day-3.md`, or `day-0-early.md`. */
  pathOf(template) {
    return template.replace(/\b(day-\d+)(?:-early)?(?=[^/]*\.md$)/, (_, day) => this.expand(`{{${day}}}`))
  }

  /**
   * Returns a time in ms since the epoch.
   * @param at `day-3 19:30`, or `now-50`: at most 240 minutes before the first start; fewer before 04:00, to stay on
   *   that day
   */
  timeOf(at) {
    const [, days, hour, minute, minutes] = /^(?:day(-\d+) (\d+):(\d+)|now(-\d+))$/.exec(at)
    if (days !== undefined) return this.#day(Number(days), Number(hour), Number(minute)).getTime()
    const today = (this.now - this.#day(0).getTime()) / 60_000
    return this.now + Number(minutes) * 60_000 * Math.min(1, today / maxMinutes)
  }

  #day(offset, ...time) {
    const now = this.#now
    return new Date(now.getFullYear(), now.getMonth(), now.getDate() + offset, ...(time.length > 0 ? time : [0]))
  }

  #format(kind, offset) {
    if (kind === 'time') return timeText(new Date(this.timeOf(`now${offset}`)))
    const day = this.#day(offset)
    if (kind === 'day') return `${day.getFullYear()}-${twoDigits(day.getMonth() + 1)}-${twoDigits(day.getDate())}`
    const options = kind === 'weekday' ? { weekday: 'long' } : { day: 'numeric', month: 'long' }
    return new Intl.DateTimeFormat(this.#locale, options).format(day)
  }
}

function timeText(time) {
  return `${twoDigits(time.getHours())}:${twoDigits(time.getMinutes())}`
}

function twoDigits(number) {
  return String(number).padStart(2, '0')
}
