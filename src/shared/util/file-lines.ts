import { AppError } from './errors.ts'

export interface LinesOfFile {
  readonly path: string
  /** 1-based, inclusive. */
  readonly startLine: number
  readonly endLine: number
}

/** Parses `memory/a.md:12-14`, also in brackets or backticks. @returns undefined without a line number */
export function parseLines(text: string): LinesOfFile | undefined {
  const place = text.trim().replace(/^[[`]{1,2}(.*\d)[\]`]{1,2}$/, '$1')
  const [, path = '', first, last] = /^(.+?):(\d+)(?:[-–](\d+))?$/.exec(place) ?? []
  const startLine = Math.max(1, Number(first))
  return path === '' ? undefined : { path, startLine, endLine: Math.max(startLine, Number(last ?? first)) }
}

interface NamedLines {
  readonly path: string
  readonly from?: number | undefined
  readonly lines?: number | undefined
}

/**
 * Reads `lines` lines from the 1-based line `from`. If that fails, the path may end in the lines (`memory/a.md:12-14`);
 * `from` and `lines` take precedence.
 * @throws as `read`
 */
export async function readNamedLines<T>(named: NamedLines, read: (named: NamedLines) => Promise<T>): Promise<T> {
  try {
    return await read(named)
  } catch (error) {
    const parsed = parseLines(named.path)
    if (!parsed || !(error instanceof AppError)) throw error
    const { path, startLine, endLine } = parsed
    const count = named.from === undefined ? endLine - startLine + 1 : undefined
    return read({ path, from: named.from ?? startLine, lines: named.lines ?? count })
  }
}

/** Returns the lines of a file, without the empty one after a final line break. */
export function linesIn(text: string): string[] {
  const lines = text.split(/\r?\n/)
  if (lines.at(-1) === '') lines.pop()
  return lines
}

/** @param total number of lines @param line 1-based @throws AppError `input_invalid` if the line is after the end */
export function assertLineExists(path: string, total: number, line: number): void {
  if (line <= Math.max(1, total)) return
  const reason = missingLineText(path, total, line)
  throw new AppError('input_invalid', reason, { reason })
}

export function missingLineText(path: string, total: number, line: number): string {
  return `${path} has ${countText(total, 'line')}: there is no line ${line}`
}

export function countText(count: number, noun: string): string {
  return `${count === 0 ? 'no' : count} ${noun}${count === 1 ? '' : 's'}`
}
