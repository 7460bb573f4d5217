import { AppError } from '#shared/util/errors.ts'
import type { ChatModel } from '#llm'

/**
 * Repeats `work` after each `context_overflow` that lowers the window estimate.
 * @throws any other error of `work`, and an overflow that does not lower the estimate
 */
export async function retryOnOverflow<T>(model: Pick<ChatModel, 'contextWindow'>, work: () => Promise<T>): Promise<T> {
  for (;;) {
    const windowBefore = model.contextWindow
    try {
      return await work()
    } catch (error) {
      if (!isContextOverflow(error) || model.contextWindow >= windowBefore) throw error
    }
  }
}

export function isContextOverflow(error: unknown): error is AppError {
  return error instanceof AppError && error.code === 'context_overflow'
}
