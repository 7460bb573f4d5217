/** Keeps a pattern that backtracks without end from holding up everything behind it. */
import { isNativeError } from 'node:util/types'
import { createContext, Script } from 'node:vm'
import { AppError } from '#shared/util/errors.ts'

/** What a pattern may take in one file, ms. */
const patternTimeout = 500

const script = new Script('work()')
const held: { work: () => void } = { work: () => undefined }
/** One for all: to make one takes longer than most files do. */
let context: ReturnType<typeof createContext> | undefined

/** @throws AppError `input_invalid` when it takes too long */
export function inTime<Result>(task: () => Result): Result {
  let result: Result | undefined
  held.work = () => {
    result = task()
  }
  context ??= createContext(held)
  try {
    script.runInContext(context, { timeout: patternTimeout })
  } catch (error) {
    // It may be an error of the other context's kind.
    if (!isNativeError(error) || !('code' in error) || error.code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error
    const reason = 'it takes too long'
    throw new AppError('input_invalid', `the pattern is not right: ${reason}`, { reason }, { cause: error })
  }
  return result as Result
}
