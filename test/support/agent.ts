/** An app whose agent `main` uses a model server. */
import { openTestApp, type TestAppOptions } from './app.ts'
import type { ModelServer } from './model-server.ts'

export interface AgentOptions extends TestAppOptions {
  readonly model?: string
  /** Settings of all agents in YAML, without the braces. */
  readonly defaults?: string
  /** Other settings in YAML, with the line breaks. */
  readonly settings?: string
}

export async function openAgent(
  server: Pick<ModelServer, 'url' | 'openAiUrl'>,
  { model = 'anthropic/test-model', defaults = '', settings = '', ...options }: AgentOptions = {},
) {
  const provider = model.startsWith('openai-compatible/') ? 'openai-compatible' : 'anthropic'
  const baseUrl = provider === 'anthropic' ? server.url : server.openAiUrl
  const test = await openTestApp({
    config: `providers: { ${provider}: { baseUrl: "${baseUrl}" } }
${settings}agents:
  defaults: { ${defaults} }
  list: [{ id: main, workspace: "{{workspace}}", model: ${model} }]
`,
    env: { ANTHROPIC_API_KEY: 'sk-test-key' },
    now: () => new Date(2026, 0, 20, 10, 30),
    ...options,
  })
  const agent = await test.app.agents.get('main')
  /** Sends a message and waits for the end of the turn. @returns the chat */
  const send = async (text: string, session?: string, more: Partial<Parameters<typeof agent.chat.send>[0]> = {}) => {
    const sent = await agent.chat.send({ text, session, ...more })
    await sent.ended
    return sent.session
  }
  /** Asks for another answer and waits for it. @param message the question or the answer; default: the last one */
  const retry = async (session: string, message?: string) => {
    const { ended } = await agent.chat.retry(session, message)
    await ended
  }
  const messagesOf = async (session: string) =>
    (await agent.sessions.get(session)).messages().map(({ message }) => message)
  return { ...test, agent, send, retry, messagesOf }
}
