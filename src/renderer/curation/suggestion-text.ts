import { withoutLead } from '#shared/markdown/blocks/line-starts.ts'
import { withoutMarks } from '#shared/markdown/visibility.ts'
import type { Suggestion } from '#shared/contract/index.ts'

/** Returns the rule, or `summary`: new lines of an edited summary of a chat need approval, too. */
export function ruleName({ rule, detail, files }: Suggestion): Suggestion['rule'] | 'summary' {
  const isSummary =
    rule === 'outside' && (detail.target ?? '') === '' && /\d{4}-\d{2}-\d{2}-[^/]+\.md$/.test(files[0]?.path ?? '')
  return isSummary ? 'summary' : rule
}

export function stripMarks(line: string): string {
  return withoutMarks(withoutLead(line)).trim()
}
