/** An app with a remote model: a loopback server that the settings declare as remote. */
import { messageText } from '../../src/shared/chat/messages.ts'
import { openTestApp } from './app.ts'
import { startModelServer, type ScriptedAnswer } from './model-server.ts'

export const now = () => new Date(2026, 0, 20, 10, 30)
export const remoteModel = 'anthropic/claude-test'
export const localModel = 'openai-compatible/local-model'

export const call = (name: string, input: object): ScriptedAnswer => ({ calls: [{ name, arguments: input }] })

export interface RemoteOptions {
  readonly files: Readonly<Record<string, string>>
  readonly rules?: readonly string[]
  /** Settings of `agents.defaults`, as YAML in one line. */
  readonly defaults?: string
}

export async function openRemote({
  files,
  rules = [],
  defaults = 'memory: { embedding: { provider: none } }',
}: RemoteOptions) {
  const [remote, local] = [await startModelServer({ text: 'ok' }), await startModelServer({ text: 'ok' })]
  const given = defaults.replaceAll('{{remote}}', remote.openAiUrl)
  const config = `providers:
  anthropic: { baseUrl: "${remote.url}", reach: remote }
  openai-compatible: { baseUrl: "${local.openAiUrl}" }
agents:
  defaults: { model: ${remoteModel}, visibility: { local: ${JSON.stringify(rules)} }, session: { memoryHook: { enabled: false } }, chat: { titles: false }, ${given} }
  list: [{ id: main, workspace: "{{workspace}}" }]
`
  const test = await openTestApp({ files, config, env: { ANTHROPIC_API_KEY: 'sk-test-key' }, now, watch: true })
  const agent = await test.app.agents.get('main')
  const ask = async (text: string, { session, model = remoteModel }: { session?: string; model?: string } = {}) => {
    const sent = await agent.chat.send({ text, session, model, reopen: true })
    await sent.ended
    const messages = (await agent.sessions.get(sent.session)).messages().map(({ message }) => message)
    return { session: sent.session, messages }
  }
  /** Runs the calls one after the other. @returns the results of the tools */
  const results = async (...calls: ScriptedAnswer[]) => {
    remote.script = [...calls, { text: 'done' }]
    const { messages, session } = await ask('Go on.')
    const told = messages.filter(({ role }) => role === 'toolResult').map((message) => messageText(message))
    return { told, session }
  }
  return { ...test, agent, remote, local, ask, results }
}
