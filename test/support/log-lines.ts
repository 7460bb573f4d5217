/** Returns the lines of a daily log, without the list marker and time of entries of one line. */
export function logLines(log: string): string[] {
  return log.split('\n').map((line) => line.replace(/^- \d\d:\d\d /, ''))
}
