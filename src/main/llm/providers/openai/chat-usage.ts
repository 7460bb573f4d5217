/** The figures of usage of Chat Completions, which servers send in different places and add up differently. Pure. */
import { noUsage, type Usage } from '#shared/chat/messages.ts'
import { fieldsOf, listOf, tokensOf } from '../../middleware/lenient-json.ts'

/** @returns what a chunk says of usage; undefined where it says nothing */
export function usageOf(chunk: Readonly<Record<string, unknown>>): Usage | undefined {
  // Kimi tells it with the choice, Groq in a field of its own too.
  const places = [chunk['usage'], fieldsOf(listOf(chunk['choices'])[0])['usage'], fieldsOf(chunk['x_groq'])['usage']]
  const sent = places.find((place) => typeof place === 'object' && place !== null)
  return sent === undefined ? undefined : toUsage(fieldsOf(sent))
}

function toUsage(wire: Readonly<Record<string, unknown>>): Usage {
  const prompt = tokensOf(wire['prompt_tokens']) ?? 0
  const completion = tokensOf(wire['completion_tokens']) ?? 0
  if (prompt === 0 && completion === 0) return noUsage
  const told = fieldsOf(wire['prompt_tokens_details'])
  const cached =
    tokensOf(told['cached_tokens']) ?? tokensOf(wire['prompt_cache_hit_tokens']) ?? tokensOf(wire['cached_tokens']) ?? 0
  const written = tokensOf(told['cache_write_tokens']) ?? 0
  const total = tokensOf(wire['total_tokens']) ?? 0
  const reasoning = tokensOf(fieldsOf(wire['completion_tokens_details'])['reasoning_tokens']) ?? 0
  const missing = Math.max(0, total - prompt - completion)
  // What the sum has beyond its parts is mostly thoughts, which some leave out; or a cache that is not counted as input.
  const isCacheApart = cached > prompt && missing >= cached
  const thoughts = missing - (isCacheApart ? cached : 0)
  const output = completion + (reasoning > 0 && thoughts < reasoning ? 0 : thoughts)
  const cacheRead = isCacheApart ? cached : Math.min(prompt, cached)
  const cacheWrite = isCacheApart ? 0 : Math.min(prompt - cacheRead, written)
  const input = isCacheApart ? prompt : prompt - cacheRead - cacheWrite
  return { input, output, cacheRead, cacheWrite, totalTokens: input + output + cacheRead + cacheWrite }
}
