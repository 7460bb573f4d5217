import { AppError } from '#shared/util/errors.ts'
import type { ChatModel } from '#llm'

/** @throws what `work` throws, once nothing more is learned from it */
export async function whileItShrinks<T>(model: Pick<ChatModel, 'contextWindow'>, work: () => Promise<T>): Promise<T> {
  for (;;) {
    const before = model.contextWindow
    try {
      return await work()
    } catch (error) {
      if (!isOverflow(error) || model.contextWindow >= before) throw error
    }
  }
}

export function isOverflow(error: unknown): error is AppError {
  return error instanceof AppError && error.code === 'context_overflow'
}
