/**
 * Formats in which models write tool calls as text. They follow the chat templates of the models: marks around a call,
 * and a name with arguments in one of six forms.
 */
import { randomUUID } from 'node:crypto'
import { isRecord, parseJson } from '#shared/util/json.ts'
import type { ToolCallPart } from '#shared/chat/messages.ts'

/** Marks around calls. */
const wrappingMarks = [
  '<tool_call>', // Hermes, Qwen 2.5 and 3, GLM 4.5
  '<|tool_call|>', // Granite
  '<|python_tag|>', // Llama 3.1
  '[TOOL_CALLS]', // Mistral
  '<|tool_call_start|>', // LFM2
  '<|tool_calls_section_begin|>', // Kimi K2
  '<|tool_call_begin|>',
  '<｜tool▁calls▁begin｜>', // DeepSeek V3, V3.1, R1
  '<｜tool▁call▁begin｜>',
  '<minimax:tool_call>', // MiniMax M2
  '<TOOLCALL>', // Nemotron
  '<tools>', // Qwen 2.5 Coder, after the list of tools in its template
  '<function_call>',
  '<function_calls>', // Claude 3, and models that learned from its answers
  '<start_function_call>', // FunctionGemma
]

/** Marks that begin calls, also those before the name of a tool. */
export const callMarks = [
  ...wrappingMarks,
  '<function=', // Llama 3.1, Qwen3-Coder
  '<invoke name=',
  '```tool_code', // Gemma 3
  '<|channel|>commentary', // gpt-oss
  '<|start|>assistant<|channel|>commentary',
]

/** Returns the mark at the start of a text that is no part of a call, with the white space after it; '' if there is none. */
function skippedMark(text: string): string {
  const mark = wrappingMarks.find((one) => text.startsWith(one)) ?? /^(?:```\w*|\[|,|\])/.exec(text)?.[0] ?? ''
  return mark && mark + (/^\s*/.exec(text.slice(mark.length))?.[0] ?? '')
}

const closingMark =
  /^\s*(?:<\/(?:function|invoke|tool_call|minimax:tool_call|function_calls?|TOOLCALL|tools)>|```|[\])]|<\|tool_call(?:s_section)?_end\|>|<｜tool▁calls?▁end｜>|<end_function_call>|<\/s>|<\|(?:call|im_end|eot_id|eom_id|end)\|>|<\|[\w/]+\|>$)/

/**
 * Returns the calls of a text that consists of calls; [] for other texts. Text after calls in a model's own format is
 * ignored: the model wrote it without their results.
 * @param names of the tools that the request offers
 */
export function parseTextCalls(text: string, names: ReadonlySet<string>): ToolCallPart[] {
  const calls: ToolCallPart[] = []
  let rest = text.trim()
  const isMarked = callMarks.some((mark) => rest.startsWith(mark))
  while (rest !== '') {
    const skipped = skippedMark(rest)
    rest = rest.slice(skipped.length)
    const found = callAt(rest, names)
    if (!found) {
      if (skipped === '') return isMarked ? calls : []
      continue
    }
    const { length, name, value } = found
    if (!names.has(name)) return []
    calls.push({ type: 'toolCall', id: `call_${randomUUID().slice(0, 8)}`, name, arguments: value })
    rest = rest.slice(length)
    for (let mark = closingMark.exec(rest); mark; mark = closingMark.exec(rest)) rest = rest.slice(mark[0].length)
    rest = rest.trimStart()
  }
  return calls
}

/** Names before the arguments: of XML tags, of gpt-oss, and with a separator of Mistral, Kimi or DeepSeek. */
const namedForms = [
  /^<function=([\w.-]+)>\s*/,
  /^<invoke name="([\w.-]+)">\s*/,
  /^(?:<\|start\|>assistant)?<\|channel\|>commentary to=functions\.([\w.-]+)\s*(?:<\|constrain\|>\s*\w+\s*)?<\|message\|>\s*(?=\{)/,
  /^(?:function<｜tool▁sep｜>)?(?:functions\.)?([\w.-]+)(?::\d+)?\s*(?:\[ARGS\]|<\|tool_call_argument_begin\|>|<｜tool▁sep｜>)?\s*(?:```json\s*)?(?=\{)/,
  /^([\w.-]+)\s*(?=<arg_key>|<\/tool_call>)/,
]

function callAt(text: string, names: ReadonlySet<string>) {
  // memory_search(query="tea") and call:memory_search{query:<escape>tea<escape>}
  const [function_ = '', called = ''] = /^(?:print\()?([\w.-]+)(?=\()/.exec(text) ?? []
  const [gemma = '', gemmaName = ''] = /^call:([\w.-]+)(?=\{)/.exec(text) ?? []
  if (names.has(called) || gemma !== '') {
    const start = function_.length + gemma.length
    const values = balanced(text.slice(start))
    const value = parseJson(`{${relaxedToJson(values.slice(1, -1))}}`)
    return isRecord(value) ? { name: called || gemmaName, value, length: start + values.length } : undefined
  }
  for (const form of namedForms) {
    const [before = '', name = ''] = form.exec(text) ?? []
    if (name === '') continue
    const json = balanced(text.slice(before.length))
    const value = json === '' ? undefined : jsonObject(json)
    if (value) return { name, value, length: before.length + json.length }
    const parameters = parametersIn(text.slice(before.length))
    if (parameters && json === '') return { name, value: parameters.values, length: before.length + parameters.length }
  }
  const json = balanced(text)
  const object = json.startsWith('{') ? jsonObject(json) : undefined
  const fields = object && isRecord(object['function']) ? object['function'] : object
  const given = fields?.['arguments'] ?? fields?.['parameters'] ?? {}
  const value = typeof given === 'string' ? parseJson(given) : given
  const name = fields?.['name']
  return typeof name === 'string' && isRecord(value) ? { name, value, length: json.length } : undefined
}

/** Accepts commas before a closing bracket. */
function jsonObject(json: string): Record<string, unknown> | undefined {
  const value = parseJson(json) ?? parseJson(json.replace(/,\s*(?=[}\]])/g, ''))
  return isRecord(value) ? value : undefined
}

/** `<parameter=name>value</parameter>` of Qwen, `<parameter name="…">`, and `<arg_key>name</arg_key>` of GLM. */
const parameter =
  /<parameter(?:=| name=")([\w.-]+)"?>\s*([^]*?)\s*<\/parameter>|<arg_key>\s*([\w.-]+)\s*<\/arg_key>\s*<arg_value>([^]*?)<\/arg_value>/g
const onlyParameters = new RegExp(`^(?:(?:${parameter.source})\\s*)*(?=<\\/)`)

function parametersIn(text: string): { values: Record<string, string>; length: number } | undefined {
  const all = onlyParameters.exec(text)?.[0]
  if (all === undefined) return undefined
  const pairs = Array.from(all.matchAll(parameter), ([, name, value, key, argument]): [string, string] => [
    name ?? key ?? '',
    value ?? argument ?? '',
  ])
  return { values: Object.fromEntries(pairs), length: all.length }
}

const relaxedToken =
  /<escape>([^]*?)<escape>|("(?:\\[^]|[^"\\])*"|'(?:\\[^]|[^'\\])*')|\b([A-Za-z_]\w*)\s*(?:=(?!=)|:)|\b(True|False|None)\b/g
const escapes: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t' }

/** Turns the arguments of a Python call, or of Gemma, into the members of a JSON object. */
function relaxedToJson(values: string): string {
  return values.replaceAll(
    relaxedToken,
    (_token, escaped?: string, quoted?: string, name?: string, literal?: string) => {
      if (escaped !== undefined) return JSON.stringify(escaped)
      if (name !== undefined) return `"${name}":`
      if (literal !== undefined) return literal === 'None' ? 'null' : literal.toLowerCase()
      const plain = (quoted ?? '').slice(1, -1)
      return JSON.stringify(plain.replace(/\\([^])/g, (_escape, letter: string) => escapes[letter] ?? letter))
    },
  )
}

/** Returns the text up to the bracket that closes the one at its start; '' if there is none. */
export function balanced(text: string): string {
  const open = text[0]
  const close = open === '{' ? '}' : open === '(' ? ')' : undefined
  if (close === undefined) return ''
  const quotes = open === '(' ? '"\'' : '"'
  let depth = 0
  let quote: string | undefined
  for (let index = 0; index < text.length; index += 1) {
    const character = text[index] ?? ''
    if (quote !== undefined) {
      if (character === '\\') index += 1
      else if (character === quote) quote = undefined
    } else if (quotes.includes(character)) quote = character
    else if (text.startsWith('<escape>', index)) index = Math.max(index, text.indexOf('<escape>', index + 8) + 7)
    else if (character === open) depth += 1
    else if (character === close && --depth === 0) return text.slice(0, index + 1)
  }
  return ''
}
