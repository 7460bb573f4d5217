/** Java's letters, as Logseq has them (`yyyy_MM_dd`, `MMM do, yyyy`). */
export function fromJavaFormat(format: string): string {
  const known: Readonly<Record<string, string>> = {
    yyyy: 'YYYY',
    yy: 'YY',
    dd: 'DD',
    do: 'Do',
    d: 'D',
    EEEE: 'dddd',
    EEE: 'ddd',
    EE: 'ddd',
    E: 'ddd',
  }
  return format.replaceAll(/'([^']*)'|do|([a-zA-Z])\2*/g, (found, quoted?: string) =>
    quoted === undefined ? (known[found] ?? found) : `[${quoted}]`,
  )
}

/** Those of the package dateformat, which Foam had in its settings (`yyyy-mm-dd`, `isoDate`). */
export function fromMaskFormat(format: string): string {
  if (format === 'isoDate') return 'YYYY-MM-DD'
  const known: Readonly<Record<string, string>> = {
    yyyy: 'YYYY',
    yy: 'YY',
    mmmm: 'MMMM',
    mmm: 'MMM',
    mm: 'MM',
    m: 'M',
    dddd: 'dddd',
    ddd: 'ddd',
    dd: 'DD',
    d: 'D',
    dS: 'Do',
  }
  return format.replaceAll(/'([^']*)'|dS|([a-zA-Z])\2*/g, (found, quoted?: string) =>
    quoted === undefined ? (known[found] ?? found) : `[${quoted}]`,
  )
}

/** The variables of a template of Foam's (`/journal/${FOAM_DATE_YEAR}-$FOAM_DATE_MONTH-$FOAM_DATE_DATE.md`). */
export function fromFoamPath(path: string): string {
  const known: Readonly<Record<string, string>> = {
    YEAR: 'YYYY',
    YEAR_SHORT: 'YY',
    MONTH: 'MM',
    MONTH_NAME: 'MMMM',
    MONTH_NAME_SHORT: 'MMM',
    DATE: 'DD',
    DAY_NAME: 'dddd',
    DAY_NAME_SHORT: 'ddd',
  }
  return path
    .replace(/\.md$/, '')
    .replaceAll(/\$\{?(?:FOAM_DATE|CURRENT)_(\w+?)\b\}?|([A-Za-z]+)/g, (found, name?: string, letters?: string) =>
      letters === undefined ? (known[name ?? ''] ?? found) : `[${letters}]`,
    )
}
