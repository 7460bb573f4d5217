/**
 * What a server of Chat Completions was found to take: hundreds speak the protocol, and refuse what another demands. A
 * refusal names what it is about; the request is then made again without it, or with it, and so are those that follow.
 */
import OpenAI from 'openai'

export interface Dialect {
  /** `stream_options`, which asks for figures of usage. */
  readonly takesUsageOption: boolean
  /** Thoughts go back with turns in which tools were called, with every answer, or not at all. */
  readonly reasoning: 'toolTurns' | 'everywhere' | 'never'
}

const known = new Map<string, Dialect>()

/** Models that refuse any answer without its thoughts. */
const wantsAllThoughts = /deepseek-v[4-9]|kimi-k(2\.[5-9]|[3-9])/i

export function dialectOf(address: string, model: string): Dialect {
  return (
    known.get(`${address} ${model}`) ?? {
      takesUsageOption: true,
      reasoning: wantsAllThoughts.test(model) ? 'everywhere' : 'toolTurns',
    }
  )
}

export function learn(address: string, model: string, dialect: Dialect): void {
  known.set(`${address} ${model}`, dialect)
}

/** @returns how to ask instead; undefined where the refusal is about something else */
export function remedy(dialect: Dialect, error: unknown): Dialect | undefined {
  if (!(error instanceof OpenAI.APIError) || (error.status !== 400 && error.status !== 422)) return undefined
  const { message } = error
  if (dialect.takesUsageOption && /stream_options|include_usage/.test(message))
    return { ...dialect, takesUsageOption: false }
  if (dialect.reasoning === 'toolTurns' && demanded.test(message)) return { ...dialect, reasoning: 'everywhere' }
  if (dialect.reasoning !== 'never' && thoughts.test(message) && refused.test(message))
    return { ...dialect, reasoning: 'never' }
  return undefined
}

const demanded =
  /reasoning_content\W.{0,80}(missing|must be (passed|provided|present)|required)|(missing|requires?) .{0,20}reasoning_content/is
const thoughts =
  /reasoning_(content|details|text)|thinking_blocks|extra_content|provider_specific_fields|assistant\.reasoning|["'`]reasoning["'`]/i
const refused =
  /unsupported|not (supported|allowed|permitted|recognized)|unexpected|unknown|unrecognized|extra_forbidden|extra (fields|inputs)/i
