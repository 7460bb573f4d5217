import { isDeepStrictEqual } from 'node:util'
import { AppError } from '#shared/util/errors.ts'
import { messageText, type ToolCallPart, type ToolResultMessage } from '#shared/chat/messages.ts'

/** This many identical outcomes of a call warn the model; one more ends the turn. */
const maxSame = 3
/** This many consecutive answers in which every call failed end the turn. */
const maxFailures = 8

interface Same {
  readonly call: ToolCallPart
  readonly outcome: string
  readonly isError: boolean
  /** Number of answers that made the call. */
  count: number
  lastStep: number
}

/** Detects repeated and failing calls within one turn. */
export class LoopDetector {
  #same: Same[] = []
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
    const known = this.#same.find((one) => isSame(one.call, call))
    if (known?.outcome !== outcome || known.isError !== isError) {
      // A new outcome may justify repeating earlier successful calls.
      const isStill = (one: Same) => isError || one.isError || one.lastStep === this.#step
      this.#same = this.#same.filter((one) => one !== known && isStill(one))
      this.#same.push({ call, outcome, isError, count: 1, lastStep: this.#step })
      return this.#warned(result)
    }
    // Identical calls within one answer count as one attempt.
    if (known.lastStep !== this.#step) known.count += 1
    known.lastStep = this.#step
    if (known.count < maxSame) return this.#warned(result)
    const word = isError
      ? `This very call has failed ${known.count} times in the same way and will fail again. Do not repeat it: change the arguments, do something else, or tell the user what prevents it.`
      : `This very call has given the same result ${known.count} times and will give it again. Do not repeat it: change the arguments, do something else, or answer with what you have.`
    return withNotice(result, word)
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

  #warned(result: ToolResultMessage): ToolResultMessage {
    if (!result.isError || this.#failures !== maxFailures - 1) return result
    return withNotice(
      result,
      `The calls of your last ${this.#failures} answers have all failed. Do not continue like this: do something else, or tell the user what prevents it.`,
    )
  }

  /** Error `tool_repeats` if the turn must end; otherwise undefined. */
  get stopReason(): AppError | undefined {
    const worst = this.#same.find(({ count }) => count > maxSame)
    if (worst) {
      const { call, count, isError } = worst
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

function isSame(one: ToolCallPart, other: ToolCallPart): boolean {
  return one.name === other.name && isDeepStrictEqual(one.arguments, other.arguments)
}

function outcomeOf(result: ToolResultMessage): string {
  return messageText(result).replace(/\(log reference \w+\)/, '')
}
