import { z } from 'zod'
import { AppError } from '#shared/util/errors.ts'

const linesSchema = z
  .object({ path: z.string().min(1), startLine: z.number().int().min(1), endLine: z.number().int().min(1) })
  .refine(({ startLine, endLine }) => startLine <= endLine, 'startLine is after endLine')
export type Lines = z.infer<typeof linesSchema>

const judgedQuestionSchema = z.object({
  id: z.string().optional(),
  query: z.string().min(1),
  /** What kind of question it is; figures are given for each kind. */
  category: z.union([z.string(), z.number()]).optional(),
  /** Which half of its set it belongs to, where one half is for tuning. */
  split: z.enum(['dev', 'held']).optional(),
  relevant: z.array(linesSchema),
})
export type JudgedQuestion = z.infer<typeof judgedQuestionSchema>

/** Questions that a memory cannot answer have no lines, and need not say so. */
const offTopicQuestionSchema = judgedQuestionSchema.extend({ relevant: z.array(linesSchema).default([]) })

/**
 * @param kind of `judged` questions each must name lines: one that names none would count as not found
 * @throws AppError `input_invalid` naming the line of `source` and what is wrong there
 */
export function parseQuestions(text: string, source: string, kind: 'judged' | 'offTopic' = 'judged'): JudgedQuestion[] {
  const questions = text.split('\n').flatMap((line, index) => {
    if (line.trim() === '') return []
    try {
      if (kind === 'offTopic') return [offTopicQuestionSchema.parse(JSON.parse(line))]
      return [judgedQuestionSchema.extend({ relevant: z.array(linesSchema).min(1) }).parse(JSON.parse(line))]
    } catch (error) {
      if (!(error instanceof SyntaxError || error instanceof z.ZodError)) throw error
      const reason = `${source}:${index + 1} is not a judged question (${detailOf(error)})`
      throw new AppError('input_invalid', reason, { reason, path: source, line: index + 1 })
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

/** A result is right when it is of the same file and its lines overlap the judged ones. */
export function isHit(result: Lines, judged: Lines): boolean {
  return result.path === judged.path && result.startLine <= judged.endLine && judged.startLine <= result.endLine
}
