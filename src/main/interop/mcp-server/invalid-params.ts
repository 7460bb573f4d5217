/** Requests with wrong params: the package answers them with its own account of a schema, as a fault of the server. */
import { ProtocolErrorCode, type McpServer, type Transport } from '@modelcontextprotocol/server'
import { z } from 'zod'

type Sent = Parameters<Transport['send']>[0]

const issuesSchema = z.array(z.object({ path: z.array(z.union([z.string(), z.number()])), message: z.string() })).min(1)

/** Has such answers say in words what is wrong, as what the caller did, over whatever it is connected to. */
export function refuseInWords({ server }: McpServer): void {
  const connect = server.connect.bind(server)
  server.connect = async (transport) => {
    const send = transport.send.bind(transport)
    transport.send = (message, options) => send(inWords(message), options)
    await connect(transport)
  }
}

function inWords(message: Sent): Sent {
  if (!('error' in message)) return message
  const { code, message: said } = message.error
  if (code !== ProtocolErrorCode.InternalError && code !== ProtocolErrorCode.InvalidParams) return message
  const begin = said.indexOf('[\n')
  const issues = begin < 0 ? undefined : issuesIn(said.slice(begin))
  if (issues === undefined) return message
  const wrong = issues.map(({ path, message: why }) => `${path.join('.')}: ${why.replace(/^Invalid input: /, '')}`)
  const error = { code: ProtocolErrorCode.InvalidParams, message: `Invalid params: ${wrong.join('; ')}` }
  return { ...message, error }
}

function issuesIn(text: string): z.infer<typeof issuesSchema> | undefined {
  try {
    return issuesSchema.safeParse(JSON.parse(text)).data
  } catch {
    return undefined
  }
}
