import type { LocalModelServer } from '#shared/contract/index.ts'
import type { Fetch } from '#platform'
import { listOpenAiModels } from '../providers/openai/openai-client.ts'
import { chatModelNames } from './chat-models.ts'

/** Servers with OpenAI's protocol that people run on their own machine, with their default ports. */
const knownServers = [
  { name: 'Ollama', port: '11434' },
  { name: 'LM Studio', port: '1234' },
  { name: 'llama.cpp', port: '8080' },
] as const

const provider = 'openai-compatible'
const probeTimeoutMs = 800

/**
 * Lists the servers of this machine that have chat models, with their ids; the first is suggested.
 * @param env may name Ollama's port in `OLLAMA_HOST`; another host in it is ignored
 */
export async function findLocalServers(env: NodeJS.ProcessEnv, fetch: Fetch): Promise<LocalModelServer[]> {
  const ollamaPort = /:(\d{1,5})\/?$/.exec(env['OLLAMA_HOST'] ?? '')?.[1]
  const probes = knownServers.map(async ({ name, port }) => {
    const baseUrl = `http://localhost:${(name === 'Ollama' && ollamaPort) || port}/v1`
    const options = { apiKey: 'none', baseUrl, timeoutMs: probeTimeoutMs, fetch }
    const listed = await listOpenAiModels(provider, options, AbortSignal.timeout(probeTimeoutMs))
    return { name, baseUrl, models: chatModelNames(listed).map((model) => `${provider}/${model}`) }
  })
  // A port without a server is not an error; another program may answer there, without models.
  const servers = (await Promise.allSettled(probes)).flatMap((probe) => ('value' in probe ? probe.value : []))
  return servers.filter(({ models }) => models.length > 0)
}
