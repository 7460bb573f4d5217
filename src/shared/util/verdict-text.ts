import type { Verdict } from '../contract/index.ts'

/** Describes a verdict in English, for the terminal and for programs. */
export function verdictText(verdict: Verdict): string {
  switch (verdict.kind) {
    case 'returned':
      return `returned as #${verdict.rank}`
    case 'joined':
      return `shown with #${verdict.rank}, as a part of the same entry`
    case 'duplicate':
      return `says the same as #${verdict.rank}`
    case 'weak':
      return 'score too low'
    case 'overLimit':
      return 'over the limit of results or characters'
    case 'outsideFilter':
      return `outside the filter: ${verdict.by.join(' ')}`
  }
}
