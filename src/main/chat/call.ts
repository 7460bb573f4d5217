/** Carries out the tool calls of one answer: those that only read at once, those that change something in order. */
import { z } from 'zod'
import { AppError } from '../../shared/errors.ts'
import type { ToolCallPart, ToolResultMessage } from '../../shared/messages.ts'
import { tools, type Tool, type ToolContext } from './tools/index.ts'

export async function callTools(calls: readonly ToolCallPart[], context: ToolContext): Promise<ToolResultMessage[]> {
  const results: ToolResultMessage[] = []
  for (let from = 0; from < calls.length;) {
    const together = calls.slice(from, from + readOnlyRun(calls, from))
    results.push(...(await Promise.all(together.map((call) => callTool(call, context)))))
    from += together.length
  }
  return results
}

/** How many calls from `from` on may run at once: a run of reading ones, or a single writing one. */
function readOnlyRun(calls: readonly ToolCallPart[], from: number): number {
  const firstWriting = calls.slice(from).findIndex((call) => findTool(call.name)?.readOnly === false)
  return firstWriting < 0 ? calls.length - from : Math.max(1, firstWriting)
}

function findTool(name: string): Tool | undefined {
  return tools.find((tool) => tool.name === name)
}

/** Whatever goes wrong in an expected way is a result, so that the model can do better. */
async function callTool(call: ToolCallPart, context: ToolContext): Promise<ToolResultMessage> {
  const tool = findTool(call.name)
  if (!tool)
    return result(call, `There is no tool ${call.name}. There are: ${tools.map(({ name }) => name).join(', ')}.`, true)
  try {
    const { text, details } = await tool.run(call.arguments, context)
    return { ...result(call, text, false), ...(details ? { details } : {}) }
  } catch (error) {
    if (context.signal.aborted) return result(call, 'Interrupted by the user.', true)
    if (error instanceof AppError) return result(call, `${error.code}: ${error.message}`, true)
    if (error instanceof z.ZodError) return result(call, `The arguments are not right: ${z.prettifyError(error)}`, true)
    throw error
  }
}

function result(call: ToolCallPart, text: string, isError: boolean): ToolResultMessage {
  return {
    role: 'toolResult',
    toolCallId: call.id,
    toolName: call.name,
    content: [{ type: 'text', text }],
    isError,
    timestamp: Date.now(),
  }
}
