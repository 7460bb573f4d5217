/** A call that a model makes over and over though it fails each time: the model is told, and then the turn ends. */
import { isDeepStrictEqual } from 'node:util'
import { AppError } from '../../shared/errors.ts'
import { messageText, type ToolCallPart, type ToolResultMessage } from '../../shared/messages.ts'

/** With this failure the model hears that there is no use in it; with the next the turn ends. */
const maxFailures = 3

interface Failing {
  readonly call: ToolCallPart
  readonly refusal: string
  /** Answers of the model that made the call. */
  count: number
  lastStep: number
}

/** Of one turn. */
export class Repeats {
  #failing: Failing[] = []
  #step = 0

  nextStep(): void {
    this.#step += 1
  }

  /** @returns the result as the model is to read it */
  judge(calls: readonly ToolCallPart[], result: ToolResultMessage): ToolResultMessage {
    const call = calls.find(({ id }) => id === result.toolCallId)
    if (!call) return result
    const refusal = refusalOf(result)
    const known = this.#failing.find((one) => isSame(one.call, call))
    if (!result.isError || known?.refusal !== refusal) this.#failing = this.#failing.filter((one) => one !== known)
    if (!result.isError) return result
    if (known?.refusal !== refusal) {
      this.#failing.push({ call, refusal, count: 1, lastStep: this.#step })
      return result
    }
    // What one answer asks for several times over is one attempt.
    if (known.lastStep !== this.#step) known.count += 1
    known.lastStep = this.#step
    if (known.count < maxFailures) return result
    const word = `This very call has failed ${known.count} times in the same way and will fail again. Do not repeat it: change the arguments, do something else, or tell the user what stands in the way.`
    return { ...result, content: [...result.content, { type: 'text', text: word }] }
  }

  /** Why the turn cannot go on. */
  get end(): AppError | undefined {
    const worst = this.#failing.find(({ count }) => count > maxFailures)
    if (!worst) return undefined
    const { call, count } = worst
    const told = `the model called ${call.name} ${count} times with the same arguments, and each time it failed`
    return new AppError('tool_repeats', told, { tool: call.name, count })
  }
}

function isSame(one: ToolCallPart, other: ToolCallPart): boolean {
  return one.name === other.name && isDeepStrictEqual(one.arguments, other.arguments)
}

/** Each fault has a reference of its own. */
function refusalOf(result: ToolResultMessage): string {
  return messageText(result).replace(/\(log reference \w+\)/, '')
}
