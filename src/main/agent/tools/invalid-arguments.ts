/** What is wrong with a call's arguments: in plain sentences for the model, and in parts that the interface has words for. */
import type { z } from 'zod'
import type { WrongArgument } from '#shared/chat/tool-details.ts'

/** A wrong list of ten thousand entries has as many problems. */
const maxProblems = 10

/** @param sent what the model gave */
export function wrongArguments({ issues }: z.ZodError, sent: unknown): WrongArgument[] {
  return issues.slice(0, maxProblems).map((issue) => {
    const field = issue.path.map(String).join('.')
    const given = issue.path.reduce<unknown>((value, key) => Object(value)[key], sent)
    if (given === undefined && issue.path.length > 0) return { field, fault: 'missing', expected: expectedOf(issue) }
    switch (issue.code) {
      case 'invalid_type':
        return { field, fault: 'type', expected: issue.expected }
      case 'too_small':
        return { field, fault: 'tooSmall', expected: String(issue.minimum) }
      case 'too_big':
        return { field, fault: 'tooLarge', expected: String(issue.maximum) }
      case 'invalid_value':
        return { field, fault: 'choice', expected: expectedOf(issue) }
      case 'unrecognized_keys':
        return { field: [field, issue.keys.join(', ')].filter(Boolean).join('.'), fault: 'unknown', expected: '' }
      default:
        return { field, fault: 'other', expected: '' }
    }
  })
}

function expectedOf(issue: z.core.$ZodIssue): string {
  if (issue.code === 'invalid_type') return issue.expected
  return issue.code === 'invalid_value' ? issue.values.map(String).join(', ') : ''
}

/** One sentence for each. */
export function inSentences(problems: readonly WrongArgument[]): string {
  return problems
    .map(({ field, fault, expected }) => `${field === '' ? 'The whole' : field} ${sentences[fault](expected)}.`)
    .join(' ')
}

const kinds: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
}

const kindOf = (expected: string) => kinds[expected] ?? expected

const sentences: Record<WrongArgument['fault'], (expected: string) => string> = {
  missing: (expected) => (expected === '' ? 'is missing' : `is missing: it has to be ${kindOf(expected)}`),
  type: (expected) => `has to be ${kindOf(expected)}`,
  tooSmall: (expected) => `is too small or too short: at least ${expected}`,
  tooLarge: (expected) => `is too large or too long: at most ${expected}`,
  choice: (expected) => `has to be one of ${expected}`,
  unknown: () => 'is not known to this tool',
  other: () => 'is not as it has to be',
}
