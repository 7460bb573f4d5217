import { isDeepStrictEqual } from 'node:util'
import { AppError } from '#shared/util/errors.ts'
import { messageText, type ToolCallPart, type ToolResultMessage } from '#shared/chat/messages.ts'

/** This many identical outcomes of a call warn the model; one more ends the turn. */
const maxRepeats = 3
/** This many consecutive answers in which every call failed end the turn. */
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
  #lastFailed = ''
  #failedStep = 0
  #succeededStep = 0

  /** Call it before the calls of each answer. */
  nextStep(): void {
    this.#step += 1
  }

  /** Records a result. @returns the result for the model, with a warning if the call is repeated */
  record(calls: readonly ToolCallPart[], result: ToolResultMessage): ToolResultMessage {
    const call = calls.find(({ id }) => id === result.toolCallId)
    if (!call) return result
    const { isError } = result
    this.#count(call, isError)
    const outcome = outcomeOf(result)
    const known = this.#repeatedCalls.find((one) => isSameCall(one.call, call))
    if (known?.outcome !== outcome || known.isError !== isError) {
      // A new outcome may justify repeating earlier successful calls.
      const shouldStay = (one: RepeatedCall) => isError || one.isError || one.lastStep === this.#step
      this.#repeatedCalls = this.#repeatedCalls.filter((one) => one !== known && shouldStay(one))
      this.#repeatedCalls.push({ call, outcome, isError, count: 1, lastStep: this.#step })
      return this.#withFailureWarning(result)
    }
    // Identical calls within one answer count as one attempt.
    if (known.lastStep !== this.#step) known.count += 1
    known.lastStep = this.#step
    if (known.count < maxRepeats) return this.#withFailureWarning(result)
    const notice = isError
      ? `This very call has failed ${known.count} times in the same way and will fail again. Do not repeat it: change the arguments, do something else, or tell the user what prevents it.`
      : `This very call has given the same result ${known.count} times and will give it again. Do not repeat it: change the arguments, do something else, or answer with what you have.`
    return withNotice(result, notice)
  }

  #count(call: ToolCallPart, isError: boolean): void {
    if (!isError) {
      this.#failures = 0
      this.#succeededStep = this.#step
    } else if (this.#succeededStep !== this.#step) {
      if (this.#failedStep !== this.#step) this.#failures += 1
      this.#failedStep = this.#step
      this.#lastFailed = call.name
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
      const what = isError ? 'and each time it failed' : 'and each time got the same result'
      const told = `the model called ${call.name} ${count} times with the same arguments, ${what}`
      return new AppError('tool_repeats', told, { tool: call.name, count, what: isError ? 'failed' : 'same' })
    }
    if (this.#failures < maxFailures) return undefined
    const count = this.#failures
    const told = `the model called tools in ${count} answers in a row, and every call failed, ${this.#lastFailed} last`
    return new AppError('tool_repeats', told, { tool: this.#lastFailed, count, what: 'row' })
  }
}

function withNotice(result: ToolResultMessage, text: string): ToolResultMessage {
  return { ...result, content: [...result.content, { type: 'text', text }] }
}

function isSameCall(one: ToolCallPart, other: ToolCallPart): boolean {
  return one.name === other.name && isDeepStrictEqual(one.arguments, other.arguments)
}

function outcomeOf(result: ToolResultMessage): string {
  return messageText(result).replace(/\(log reference \w+\)/, '')
}
