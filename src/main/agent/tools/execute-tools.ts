import { z } from 'zod'
import { AppError, orUndefined } from '#shared/util/errors.ts'
import { maxArguments, maxToolCalls } from '#shared/util/limits.ts'
import { type ToolCallPart, type ToolResultMessage, messageText } from '#shared/chat/messages.ts'
import { argumentsTooLong } from '#llm'
import { noteSources, type Source } from '#shared/markdown/provenance.ts'
import type { WrongArgument } from '#shared/chat/message-schemas.ts'
import { sourcesOfResult } from '../chat/provenance-tracking.ts'
import { isBuiltIn } from './built-in-tools.ts'
import { lenientArguments, workspacePath, type Tool, type ToolContext } from './tool.ts'

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
    const batch = calls.slice(from, from + Math.min(maxParallel, batchSize(calls, from, tools)))
    const results = await Promise.all(
      batch.map((call, index) =>
        // `AnswerDraft` keeps a single call in place of all calls beyond the limit.
        from + index < maxToolCalls ? callTool(call, tools, context) : notCalled(call, skippedText, context),
      ),
    )
    for (const result of results) await onResult(result)
    from += batch.length
  }
}

/** Returns the number of calls from index `from` that may run in parallel: read-only ones, or one that writes. */
function batchSize(calls: readonly ToolCallPart[], from: number, tools: readonly Tool[]): number {
  const firstWritingIndex = calls.slice(from).findIndex((call) => findTool(call.name, tools)?.readOnly === false)
  return firstWritingIndex < 0 ? calls.length - from : Math.max(1, firstWritingIndex)
}

/** Finds a tool by its name; models also write `functions.read` and `Memory_Search`. */
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
    const showsContent = !isError && tool.readOnly
    const { workspace } = context.workspace.roots
    const sources = !showsContent
      ? []
      : await sourcesOfResult(call, { text, details }, (path) => sourcesOfNote(workspacePath(path, workspace), context))
    const message = createResult(call, modelText, isError, context)
    return {
      ...message,
      content: [...message.content, ...images],
      ...(details ? { details } : {}),
      ...(sources.length > 0 ? { sources } : {}),
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

async function sourcesOfNote(path: string, { workspace }: ToolContext): Promise<readonly Source[]> {
  const note = await orUndefined(workspace.read(path))
  if (!note) return []
  return [...noteSources(note.text), ...((await workspace.known?.sourcesOf(path)) ?? [])]
}

/** Runs a tool with a timeout. Progress restarts it; waiting for a permission does not count. */
async function withTimeout(tool: Tool, call: ToolCallPart, context: ToolContext): ReturnType<Tool['run']> {
  const { timeoutMs } = context.limits
  const timeout = new AbortController()
  const seconds = Math.round(timeoutMs / 1000)
  const timeoutError = new AppError('tool_timeout', `${call.name} did not finish within ${seconds} s`, {
    tool: call.name,
    seconds,
  })
  let timer = setTimeout(() => timeout.abort(timeoutError), timeoutMs)
  const restartTimer = () => {
    clearTimeout(timer)
    timer = setTimeout(() => timeout.abort(timeoutError), timeoutMs)
  }
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
    const input = isBuiltIn(tool) ? lenientArguments(tool.schema, call.arguments, workspace) : call.arguments
    return await Promise.race([tool.run(input, timedContext, call.id), aborted.promise])
  } finally {
    clearTimeout(timer)
  }
}

/** Cuts a long result to head and tail for the model; the full text is saved, and `read` returns it in pages. */
async function truncateResult(callId: string, text: string, { limits, saveOutput }: ToolContext): Promise<string> {
  const characterLimit = limits.outputCharacters
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

/** Returns the first 10 validation errors. @param sent the arguments as the model sent them */
export function describeArgumentErrors({ issues }: z.ZodError, sent: unknown): WrongArgument[] {
  return issues.slice(0, maxProblems).map((issue) => {
    const field = issue.path.map(String).join('.')
    const argument = issue.path.reduce<unknown>((value, key) => Object(value)[key], sent)
    if (argument === undefined && issue.path.length > 0) return { field, fault: 'missing', expected: expectedOf(issue) }
    switch (issue.code) {
      case 'invalid_type':
        return { field, fault: 'type', expected: issue.expected }
      case 'too_small':
        return { field, fault: 'tooSmall', expected: String(issue.minimum) }
      case 'too_big':
        return { field, fault: 'tooLarge', expected: String(issue.maximum) }
      case 'invalid_value':
        return { field, fault: 'choice', expected: expectedOf(issue) }
      case 'unrecognized_keys':
        return { field: [field, issue.keys.join(', ')].filter(Boolean).join('.'), fault: 'unknown', expected: '' }
      default:
        return { field, fault: 'other', expected: '' }
    }
  })
}

function expectedOf(issue: z.core.$ZodIssue): string {
  if (issue.code === 'invalid_type') return issue.expected
  return issue.code === 'invalid_value' ? issue.values.map(String).join(', ') : ''
}

/** After this many identical outcomes of a call, the model gets a warning; one more ends the turn. */
const maxRepeats = 3
/** After this many consecutive answers in which every call failed, the turn ends. */
const maxFailures = 8

interface RepeatedCall {
  readonly tool: string
  readonly outcome: string
  readonly isError: boolean
  count: number
  lastStep: number
}

export class LoopDetector {
  /** By name and arguments. */
  readonly #calls = new Map<string, RepeatedCall>()
  #step = 0
  /** Number of answers in a row, the current one included, without a successful call. */
  #failures = 0
  #lastFailedTool = ''

  /** Call this before the calls of each answer. */
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
    if (previous?.outcome !== outcome || previous.isError !== isError) {
      // A new outcome may justify repeating earlier successful calls.
      for (const [other, repeated] of this.#calls)
        if (!isError && !repeated.isError && repeated.lastStep !== this.#step) this.#calls.delete(other)
      this.#calls.set(key, { tool: call.name, outcome, isError, count: 1, lastStep: this.#step })
    } else {
      // Identical calls within one answer count as one attempt.
      if (previous.lastStep !== this.#step) previous.count += 1
      previous.lastStep = this.#step
    }
    const count = this.#calls.get(key)?.count ?? 0
    const warning = this.#warning(count, isError)
    return warning === undefined ? result : { ...result, content: [...result.content, { type: 'text', text: warning }] }
  }

  #warning(count: number, isError: boolean): string | undefined {
    if (count >= maxRepeats)
      return isError
        ? `This very call has failed ${count} times in the same way and will fail again. Do not repeat it: change the arguments, do something else, or tell the user what prevents it.`
        : `This very call has given the same result ${count} times and will give it again. Do not repeat it: change the arguments, do something else, or answer with what you have.`
    if (!isError || this.#failures !== maxFailures - 1) return undefined
    return `The calls of your last ${this.#failures} answers have all failed. Do not continue like this: do something else, or tell the user what prevents it.`
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
