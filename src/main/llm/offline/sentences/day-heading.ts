/** Days as each language writes them. Pure. */

/** @param day `YYYY-MM-DD` */
export function dayIn(locale: string, day: string): string {
  const form = { weekday: 'long', year: 'numeric', month: 'long', day: 'numeric', timeZone: 'UTC' } as const
  return new Intl.DateTimeFormat(locale === 'en' ? 'en-GB' : locale, form).format(Date.parse(day))
}

/** @param day `YYYY-MM-DD` */
export function weekdayIn(locale: string, day: string): string {
  return new Intl.DateTimeFormat(locale, { weekday: 'long', timeZone: 'UTC' }).format(Date.parse(day))
}
