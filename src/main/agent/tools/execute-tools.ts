import { z } from 'zod'
import { AppError, orUndefined } from '#shared/util/errors.ts'
import { maxArguments, maxToolCalls } from '#shared/util/limits.ts'
import { type ToolCallPart, type ToolResultMessage, messageText } from '#shared/chat/messages.ts'
import { argumentsTooLong } from '#llm'
import { sourcesOfLine } from '#shared/markdown/provenance.ts'
import type { WrongArgument } from '#shared/chat/message-schemas.ts'
import { sourcesOfResult } from '../chat/provenance-tracking.ts'
import { isBuiltIn } from './built-in-tools.ts'
import { argumentsInWorkspace, workspacePath, type Tool, type ToolContext } from './tool.ts'

/** Maximum number of read-only calls that run in parallel; each may load a file of 20 MB. */
const maxParallel = 8

const skippedText = `tool_calls_too_many: only the first ${maxToolCalls} calls of an answer are executed; this call and all after it were skipped`

/**
 * Runs the calls of an answer: read-only ones in parallel, others one by one in order. Refuses calls beyond
 * `maxToolCalls`. A failed call gets an error result.
 * @param onResult receives the results in the order of the calls; its errors are thrown
 */
export async function executeTools(
  calls: readonly ToolCallPart[],
  tools: readonly Tool[],
  context: ToolContext,
  onResult: (result: ToolResultMessage) => Promise<void>,
): Promise<void> {
  for (let from = 0; from < calls.length;) {
    // Read-only calls run in parallel, or one that writes.
    const next = calls.slice(from, from + maxParallel)
    const firstWriting = next.findIndex((call) => findTool(call.name, tools)?.readOnly === false)
    const batch = firstWriting < 0 ? next : next.slice(0, Math.max(1, firstWriting))
    const results = batch.map((call, index) =>
      // `AnswerDraft` keeps a single call in place of all calls beyond the limit.
      from + index < maxToolCalls ? callTool(call, tools, context) : notCalled(call, skippedText, context),
    )
    for (const result of await Promise.all(results)) await onResult(result)
    from += batch.length
  }
}

/** Models also write `functions.read` and `Memory_Search`. */
function findTool(name: string, tools: readonly Tool[]): Tool | undefined {
  const plain = name.replace(/^functions?\./, '').toLowerCase()
  return tools.find((tool) => tool.name === name) ?? tools.find((tool) => tool.name.toLowerCase() === plain)
}

/** Runs a call. Every failure becomes its result, so that the model can react and other calls still run. */
async function callTool(call: ToolCallPart, tools: readonly Tool[], context: ToolContext): Promise<ToolResultMessage> {
  const tool = findTool(call.name, tools)
  const refuse = (text: string) => notCalled(call, text, context)
  if (!tool) return refuse(`There is no tool ${call.name}. There are: ${tools.map(({ name }) => name).join(', ')}.`)
  if (context.signal.aborted) return refuse('Interrupted by the user.')
  const { invalidJson, [argumentsTooLong]: length } = call.arguments
  if (typeof length === 'number') {
    const characterLimit = maxArguments.toLocaleString('en')
    const explanation = `the arguments have ${length.toLocaleString('en')} characters, but at most ${characterLimit} are accepted; split the work into parts`
    return refuse(`tool_arguments_too_large: ${explanation}`)
  }
  if (typeof invalidJson === 'string')
    return refuse(`The arguments are not a JSON object: ${invalidJson.slice(0, 500)}`)
  try {
    const { text, images = [], isError = false, details } = await withTimeout(tool, call, context)
    const modelText = await truncateResult(call.id, text, context)
    const { workspace } = context
    const sourcesOf = async (named: string, line = 1) => {
      const path = workspacePath(named, workspace.roots.workspace)
      const note = await orUndefined(workspace.read(path))
      return note ? [...sourcesOfLine(note.text, line), ...((await workspace.known?.sourcesOf(path)) ?? [])] : []
    }
    const showsContent = !isError && tool.readOnly
    const sources = showsContent ? await sourcesOfResult(call, { text, details }, sourcesOf) : []
    const message = createResult(call, modelText, isError, context)
    return {
      ...message,
      content: [...message.content, ...images],
      ...(details && { details }),
      ...(sources.length > 0 && { sources }),
    }
  } catch (error) {
    if (context.signal.aborted) return createResult(call, 'Interrupted by the user.', true, context)
    if (error instanceof AppError) {
      const text = `${error.code}: ${error.message}`
      return error.code === 'tool_denied' ? refuse(text) : createResult(call, text, true, context)
    }
    if (error instanceof z.ZodError) {
      const problems = describeArgumentErrors(error, call.arguments)
      const shown = z.prettifyError({ issues: error.issues.slice(0, maxProblems) })
      const message = createResult(call, `The arguments are invalid.\n${shown}`, true, context)
      return { ...message, details: { kind: 'wrongArguments', problems } }
    }
    const reference = context.onFault(error)
    return createResult(call, `internal: ${call.name} failed (log reference ${reference})`, true, context)
  }
}

/** Runs a tool with a timeout. Progress restarts it; waiting for a permission does not count. */
async function withTimeout(called: Tool, call: ToolCallPart, context: ToolContext): ReturnType<Tool['run']> {
  const { timeoutMs } = context.limits
  const timeout = new AbortController()
  const [tool, seconds] = [call.name, Math.round(timeoutMs / 1000)]
  const timeoutError = new AppError('tool_timeout', `${tool} did not finish within ${seconds} s`, { tool, seconds })
  let timer: NodeJS.Timeout | undefined
  const restartTimer = () => {
    clearTimeout(timer)
    timer = setTimeout(() => timeout.abort(timeoutError), timeoutMs)
  }
  restartTimer()
  const timedContext: ToolContext = {
    ...context,
    signal: AbortSignal.any([context.signal, timeout.signal]),
    async askPermission(question) {
      clearTimeout(timer)
      const isAllowed = await context.askPermission(question)
      restartTimer()
      return isAllowed
    },
    onProgress(...progress) {
      restartTimer()
      context.onProgress(...progress)
    },
  }
  try {
    const aborted = Promise.withResolvers<never>()
    timedContext.signal.addEventListener('abort', () => aborted.reject(timedContext.signal.reason), { once: true })
    const { workspace } = context.workspace.roots
    const input = isBuiltIn(called) ? argumentsInWorkspace(called.schema, call.arguments, workspace) : call.arguments
    return await Promise.race([called.run(input, timedContext, call.id), aborted.promise])
  } finally {
    clearTimeout(timer)
  }
}

/** Cuts a long result to head and tail for the model; the full text is saved, and `read` returns it in pages. */
async function truncateResult(callId: string, text: string, { limits, saveOutput }: ToolContext): Promise<string> {
  const { outputCharacters: characterLimit } = limits
  if (text.length <= characterLimit) return text
  const path = await saveOutput(callId, text)
  const head = text.slice(0, Math.floor(characterLimit * 0.7)).toWellFormed()
  const tail = text.slice(-Math.floor(characterLimit * 0.2)).toWellFormed()
  return `${head}\n[… ${text.length - head.length - tail.length} characters left out; for the full text read ${path} …]\n${tail}`
}

/** Returns a result whose text comes from the app, so that it does not count as a source of later notes. */
function notCalled(call: ToolCallPart, text: string, context: ToolContext): ToolResultMessage {
  return { ...createResult(call, text, true, context), details: { kind: 'notCalled' } }
}

function createResult(call: ToolCallPart, text: string, isError: boolean, { now }: ToolContext): ToolResultMessage {
  return {
    role: 'toolResult',
    toolCallId: call.id,
    toolName: call.name,
    content: [{ type: 'text', text }],
    isError,
    timestamp: now().getTime(),
  }
}

const maxProblems = 10

export function describeArgumentErrors({ issues }: z.ZodError, sent: unknown): WrongArgument[] {
  return issues.slice(0, maxProblems).map((issue) => {
    const field = issue.path.map(String).join('.')
    const argument = issue.path.reduce<unknown>((value, key) => Object(value)[key], sent)
    const isMissing = argument === undefined && issue.path.length > 0
    return { field, ...problemOf(issue), ...(isMissing && { fault: 'missing' }) }
  })
}

function problemOf(issue: z.core.$ZodIssue): Pick<WrongArgument, 'fault' | 'expected'> & { readonly field?: string } {
  if (issue.code === 'invalid_type') return { fault: 'type', expected: issue.expected }
  if (issue.code === 'too_small') return { fault: 'tooSmall', expected: String(issue.minimum) }
  if (issue.code === 'too_big') return { fault: 'tooLarge', expected: String(issue.maximum) }
  if (issue.code === 'invalid_value') return { fault: 'choice', expected: issue.values.map(String).join(', ') }
  if (issue.code !== 'unrecognized_keys') return { fault: 'other', expected: '' }
  return { field: [...issue.path.map(String), issue.keys.join(', ')].join('.'), fault: 'unknown', expected: '' }
}

/** After this many identical outcomes of a call, the model gets a warning; one more ends the turn. */
const maxRepeats = 3
/** After this many consecutive answers in which every call failed, the turn ends. */
const maxFailures = 8

export class LoopDetector {
  readonly #calls = new Map<
    string,
    { tool: string; outcome: string; isError: boolean; count: number; lastStep: number }
  >()
  #step = 0
  /** Number of answers in a row, the current one included, without a successful call. */
  #failures = 0
  #lastFailedTool = ''

  nextStep(): void {
    this.#step += 1
    this.#failures += 1
  }

  /** Records a result. @returns the result for the model, with a warning if the call is repeated */
  record(calls: readonly ToolCallPart[], result: ToolResultMessage): ToolResultMessage {
    const call = calls.find(({ id }) => id === result.toolCallId)
    if (!call) return result
    const { isError } = result
    if (isError) this.#lastFailedTool = call.name
    else this.#failures = 0
    const key = JSON.stringify([call.name, call.arguments])
    const outcome = messageText(result).replace(/\(log reference \w+\)/, '')
    const previous = this.#calls.get(key)
    const isRepeated = previous?.outcome === outcome && previous.isError === isError
    // A new outcome may justify repeating earlier successful calls.
    if (!isRepeated && !isError)
      for (const [other, repeated] of this.#calls)
        if (!repeated.isError && repeated.lastStep !== this.#step) this.#calls.delete(other)
    // Identical calls within one answer count as one attempt.
    const count = isRepeated ? previous.count + (previous.lastStep === this.#step ? 0 : 1) : 1
    this.#calls.set(key, { tool: call.name, outcome, isError, count, lastStep: this.#step })
    const warning = this.#warning(count, isError)
    return warning === undefined ? result : { ...result, content: [...result.content, { type: 'text', text: warning }] }
  }

  #warning(count: number, isError: boolean): string | undefined {
    const advice = isError ? 'tell the user what prevents it' : 'answer with what you have'
    if (count >= maxRepeats) {
      const fact = isError
        ? `failed ${count} times in the same way and will fail again`
        : `given the same result ${count} times and will give it again`
      return `This very call has ${fact}. Do not repeat it: change the arguments, do something else, or ${advice}.`
    }
    if (!isError || this.#failures !== maxFailures - 1) return undefined
    return `The calls of your last ${this.#failures} answers have all failed. Do not continue like this: do something else, or ${advice}.`
  }

  /** Error `tool_repeats` if the turn must end; otherwise undefined. */
  get stopReason(): AppError | undefined {
    const repeated = this.#calls.values().find(({ count }) => count > maxRepeats)
    if (repeated) {
      const { tool, count, isError } = repeated
      const outcome = isError ? 'and each time it failed' : 'and each time got the same result'
      const message = `the model called ${tool} ${count} times with the same arguments, ${outcome}`
      return new AppError('tool_repeats', message, { tool, count, what: isError ? 'failed' : 'same' })
    }
    if (this.#failures < maxFailures) return undefined
    const [count, tool] = [this.#failures, this.#lastFailedTool]
    const message = `the model called tools in ${count} answers in a row, and every call failed, ${tool} last`
    return new AppError('tool_repeats', message, { tool, count, what: 'row' })
  }
}
