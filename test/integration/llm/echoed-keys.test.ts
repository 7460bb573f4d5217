import { createServer } from 'node:http'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openTestApp } from '../../support/app.ts'
import { listen } from '../../support/listen.ts'

const key = 'echoed-0123456789-key'

async function echoing(): Promise<string> {
  const server = createServer((request, response) => {
    request.resume()
    response.writeHead(400, { 'Content-Type': 'application/json' })
    response.end(JSON.stringify({ error: { message: `what is ${request.headers.authorization}?` } }))
  })
  return `${await listen(server)}/v1`
}

describe('key in a provider’s error message', () => {
  it('appears in no message, transcript, problem or log', async () => {
    const url = await echoing()
    const env = { OPENAI_COMPATIBLE_BASE_URL: url, OPENAI_COMPATIBLE_API_KEY: key }
    const { app, home } = await openTestApp({ env })
    const agent = await app.agents.get('main')
    const { session, ended } = await agent.chat.send({ text: 'hello', model: 'openai-compatible/some' })
    await ended
    const transcript = await agent.sessions.get(session)
    const said = JSON.stringify([transcript.messages(), app.health.problems('main')])
    expect(said).toContain('what is Bearer')
    expect(said).not.toContain(key)
    const sessions = join(home, 'agents/main/sessions')
    const files = (await readdir(sessions, { withFileTypes: true })).filter((entry) => entry.isFile())
    expect(files.length).toBeGreaterThan(0)
    for (const { name } of files) expect(await readFile(join(sessions, name), 'utf8'), name).not.toContain(key)
    app.log.warn({}, 'the last line')
    const log = await readFile(app.log.file, 'utf8')
    expect(log).toContain('the last line')
    expect(log).not.toContain(key)
  })
})
