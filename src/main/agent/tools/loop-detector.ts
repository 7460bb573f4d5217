import { isDeepStrictEqual } from 'node:util'
import { AppError } from '#shared/util/errors.ts'
import { messageText, type ToolCallPart, type ToolResultMessage } from '#shared/chat/messages.ts'

/** After this many identical outcomes of a call, the model gets a warning; one more ends the turn. */
const maxRepeats = 3
/** After this many consecutive answers in which every call failed, the turn ends. */
const maxFailures = 8

interface RepeatedCall {
  readonly call: ToolCallPart
  readonly outcome: string
  readonly isError: boolean
  count: number
  lastStep: number
}

/** Detects repeated and failing calls within one turn. */
export class LoopDetector {
  #repeatedCalls: RepeatedCall[] = []
  #step = 0
  #failures = 0
  #lastFailedTool = ''
  #lastFailedStep = 0
  #lastSucceededStep = 0

  /** Call this before the calls of each answer. */
  nextStep(): void {
    this.#step += 1
  }

  /** Records a result. @returns the result for the model, with a warning if the call is repeated */
  record(calls: readonly ToolCallPart[], result: ToolResultMessage): ToolResultMessage {
    const call = calls.find(({ id }) => id === result.toolCallId)
    if (!call) return result
    const { isError } = result
    this.#updateFailures(call, isError)
    const outcome = messageText(result).replace(/\(log reference \w+\)/, '')
    const previous = this.#repeatedCalls.find(
      (repeated) => repeated.call.name === call.name && isDeepStrictEqual(repeated.call.arguments, call.arguments),
    )
    if (previous?.outcome !== outcome || previous.isError !== isError) {
      // A new outcome may justify repeating earlier successful calls.
      const shouldKeep = (repeated: RepeatedCall) => isError || repeated.isError || repeated.lastStep === this.#step
      this.#repeatedCalls = this.#repeatedCalls.filter((repeated) => repeated !== previous && shouldKeep(repeated))
      this.#repeatedCalls.push({ call, outcome, isError, count: 1, lastStep: this.#step })
      return this.#withFailureWarning(result)
    }
    // Identical calls within one answer count as one attempt.
    if (previous.lastStep !== this.#step) previous.count += 1
    previous.lastStep = this.#step
    if (previous.count < maxRepeats) return this.#withFailureWarning(result)
    const notice = isError
      ? `This very call has failed ${previous.count} times in the same way and will fail again. Do not repeat it: change the arguments, do something else, or tell the user what prevents it.`
      : `This very call has given the same result ${previous.count} times and will give it again. Do not repeat it: change the arguments, do something else, or answer with what you have.`
    return withNotice(result, notice)
  }

  #updateFailures(call: ToolCallPart, isError: boolean): void {
    if (!isError) {
      this.#failures = 0
      this.#lastSucceededStep = this.#step
    } else if (this.#lastSucceededStep !== this.#step) {
      if (this.#lastFailedStep !== this.#step) this.#failures += 1
      this.#lastFailedStep = this.#step
      this.#lastFailedTool = call.name
    }
  }

  #withFailureWarning(result: ToolResultMessage): ToolResultMessage {
    if (!result.isError || this.#failures !== maxFailures - 1) return result
    return withNotice(
      result,
      `The calls of your last ${this.#failures} answers have all failed. Do not continue like this: do something else, or tell the user what prevents it.`,
    )
  }

  /** Error `tool_repeats` if the turn must end; otherwise undefined. */
  get stopReason(): AppError | undefined {
    const repeated = this.#repeatedCalls.find(({ count }) => count > maxRepeats)
    if (repeated) {
      const { call, count, isError } = repeated
      const outcome = isError ? 'and each time it failed' : 'and each time got the same result'
      const message = `the model called ${call.name} ${count} times with the same arguments, ${outcome}`
      return new AppError('tool_repeats', message, { tool: call.name, count, what: isError ? 'failed' : 'same' })
    }
    if (this.#failures < maxFailures) return undefined
    const count = this.#failures
    const message = `the model called tools in ${count} answers in a row, and every call failed, ${this.#lastFailedTool} last`
    return new AppError('tool_repeats', message, { tool: this.#lastFailedTool, count, what: 'row' })
  }
}

function withNotice(result: ToolResultMessage, text: string): ToolResultMessage {
  return { ...result, content: [...result.content, { type: 'text', text }] }
}
