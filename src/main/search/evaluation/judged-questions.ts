import { z } from 'zod'
import { AppError } from '#shared/util/errors.ts'

/** Lines are 1-based and inclusive. */
const linesSchema = z
  .object({ path: z.string().min(1), startLine: z.number().int().min(1), endLine: z.number().int().min(1) })
  .refine(({ startLine, endLine }) => startLine <= endLine, 'startLine is after endLine')
export type LineRange = z.infer<typeof linesSchema>

const judgedQuestionSchema = z.object({
  id: z.string().optional(),
  query: z.string().min(1),
  category: z.union([z.string(), z.number()]).optional(),
  /** `dev` questions are used for tuning, `held` ones are not. */
  split: z.enum(['dev', 'held']).optional(),
  relevant: z.array(linesSchema),
})
export type JudgedQuestion = z.infer<typeof judgedQuestionSchema>

/** A judged question without lines would always count as a miss; off-topic questions have none. */
const questionSchemas = {
  judged: judgedQuestionSchema.extend({ relevant: z.array(linesSchema).min(1) }),
  offTopic: judgedQuestionSchema.extend({ relevant: z.array(linesSchema).default([]) }),
}

/**
 * Parses one JSON object per line; blank lines are skipped.
 * @param source file name for error messages
 * @throws AppError `question_invalid` with the 1-based line, `input_invalid` if there is no question
 */
export function parseQuestions(text: string, source: string, kind: 'judged' | 'offTopic' = 'judged'): JudgedQuestion[] {
  const questions = text
    .replace(/^\uFEFF/, '')
    .split('\n')
    .flatMap((line, index) => {
      if (line.trim() === '') return []
      try {
        return [questionSchemas[kind].parse(JSON.parse(line))]
      } catch (error) {
        if (!(error instanceof SyntaxError || error instanceof z.ZodError)) throw error
        const reason = `${source}:${index + 1} is not a judged question (${detailOf(error)})`
        throw new AppError('question_invalid', reason, { reason: detailOf(error), path: source, line: index + 1 })
      }
    })
  if (questions.length === 0) {
    const reason = `${source} has no question`
    throw new AppError('input_invalid', reason, { reason, path: source })
  }
  return questions
}

function detailOf(error: SyntaxError | z.ZodError): string {
  if (error instanceof SyntaxError) return 'not JSON'
  const [issue] = error.issues
  return issue ? `${issue.path.join('.') || 'the line'}: ${issue.message}` : error.message
}

export function isHit(result: LineRange, judged: LineRange): boolean {
  return result.path === judged.path && result.startLine <= judged.endLine && judged.startLine <= result.endLine
}

/** Merges ranges of the same file that share lines, because they judge the same answer. */
export function mergeOverlapping(ranges: readonly LineRange[]): LineRange[] {
  const merged: LineRange[] = []
  for (const range of ranges.toSorted((one, other) => one.startLine - other.startLine)) {
    const at = merged.findIndex((earlier) => isHit(earlier, range))
    const earlier = merged[at]
    if (earlier) merged[at] = { ...earlier, endLine: Math.max(earlier.endLine, range.endLine) }
    else merged.push(range)
  }
  return merged
}
