/** Questions with the lines that a judge called right, in the `queries.jsonl` form: one a line. Pure. */
import { z } from 'zod'
import { AppError } from '../../shared/errors.ts'

const linesSchema = z.object({ path: z.string().min(1), startLine: z.number().int(), endLine: z.number().int() })
export type Lines = z.infer<typeof linesSchema>

const judgedQuestionSchema = z.object({
  id: z.string().optional(),
  query: z.string().min(1),
  relevant: z.array(linesSchema).default([]),
})
export type JudgedQuestion = z.infer<typeof judgedQuestionSchema>

/** @throws AppError `input_invalid` naming the line of `source` */
export function parseQuestions(text: string, source: string): JudgedQuestion[] {
  const questions = text.split('\n').flatMap((line, index) => {
    if (line.trim() === '') return []
    try {
      return [judgedQuestionSchema.parse(JSON.parse(line))]
    } catch (error) {
      if (!(error instanceof SyntaxError || error instanceof z.ZodError)) throw error
      const reason = `${source}:${index + 1} is not a judged question`
      throw new AppError('input_invalid', reason, { reason, path: source, line: index + 1 })
    }
  })
  if (questions.length === 0) {
    const reason = `${source} has no question`
    throw new AppError('input_invalid', reason, { reason, path: source })
  }
  return questions
}

/** A result is right when it is of the same file and its lines overlap the judged ones. */
export function isHit(result: Lines, judged: Lines): boolean {
  return result.path === judged.path && result.startLine <= judged.endLine && judged.startLine <= result.endLine
}
