const otherUsePattern =
  /embed|rerank|whisper|\btts\b|(?:^|[/-])(?:bge|e5|gte)-|all-minilm|dall-e|gpt-image|\bsora\b|realtime|\baudio\b|transcribe|moderation|davinci|babbage|gpt-3\.5-turbo-instruct/i
const specialUsePattern =
  /code|math|guard|vision|reason|\bvl\b|chat-latest|\b(?:base|mini|nano|preview|search|research|turbo)$|^gpt.*-pro\b/
const datePattern = /-(?:20\d{6}|20\d\d-\d\d-\d\d|\d{4})$/

/** Size of a model whose name has none, and the largest one that answers fluently on most machines; billions. */
const defaultSize = 7
const largestUsualSize = 40

/**
 * Returns the names of the models for chats; the first is suggested. Leaves out models that embed, rank, draw, moderate,
 * or process speech, by their names. Equally suitable models keep their order.
 */
export function chatModelNames(models: readonly { readonly name: string }[]): string[] {
  const names = models.map(({ name }) => name).filter((name) => !otherUsePattern.test(name))
  return names.toSorted((one, other) => fitnessOf(other) - fitnessOf(one))
}

function fitnessOf(name: string): number {
  // Routers put the maker before the name: `anthropic/claude-sonnet-4.5`.
  const plain = (name.split('/').at(-1) ?? name).toLowerCase().replace(datePattern, '')
  const penalty = specialUsePattern.test(plain) ? 10_000 : 0
  if (/^claude.*sonnet|^gpt-\d/.test(plain)) {
    const [major = 0, minor = 0] = (plain.match(/\d+/g) ?? []).map(Number)
    return 1000 + major * 100 + minor - penalty
  }
  const size = Number(/(\d+(?:\.\d+)?)b\b/.exec(plain)?.[1] ?? defaultSize)
  return (size > largestUsualSize ? 0 : size) - penalty
}
