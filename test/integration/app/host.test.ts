import { request } from 'node:http'
import { describe, expect, it } from 'vitest'
import { mainFolder, openTestApp, openTestServer } from '../../support/app.ts'
import { connect, enter, socketOf, type Admission } from '../../support/client.ts'
import { temporaryFolder, until } from '../../support/folder.ts'
import { startModelServer } from '../../support/model-server.ts'
import { rounds } from '../../support/thorough.ts'

describe('browser host', () => {
  it('requires the token and exchanges it for an HttpOnly cookie', async () => {
    const { url } = await openTestServer()
    const { origin, searchParams } = new URL(url)
    expect(searchParams.get('token')?.length).toBeGreaterThanOrEqual(43)
    expect((await fetch(origin)).status).toBe(401)
    expect((await fetch(`${origin}/?token=wrong`)).status).toBe(401)
    const entered = await fetch(url, { redirect: 'manual' })
    expect(entered.status).toBe(303)
    expect(entered.headers.get('set-cookie')).toMatch(/HttpOnly; SameSite=Strict/)
    expect(entered.headers.get('location')).toMatch(/^\/#key=[\w-]{43}$/)
    expect(`${entered.headers.get('set-cookie')} ${entered.headers.get('location')}`).not.toContain(
      searchParams.get('token'),
    )
    const { cookie } = await enter(url)
    const page = await fetch(origin, { headers: { Cookie: cookie } })
    expect(page.status).toBe(200)
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'")
    expect((await fetch(`${origin}/file/MEMORY.md`, { headers: { Cookie: cookie } })).status).toBe(200)
    expect((await fetch(`${origin}/assets/none.js`, { headers: { Cookie: cookie } })).status).toBe(404)
  })

  it('refuses other hosts and origins, over HTTP and as a socket', async () => {
    const { url } = await openTestServer()
    const admission = await enter(url)
    const { cookie } = admission
    const { port } = new URL(url)
    const status = await new Promise((resolve) =>
      request({ host: '127.0.0.1', port, headers: { Host: 'evil.example', Cookie: cookie } }, (response) =>
        resolve(response.statusCode),
      ).end(),
    )
    expect(status).toBe(403)
    await expect(socketOf(url, admission, 'https://evil.example')).rejects.toThrow('403')
    await expect(socketOf(url, admission, url.replace('127.0.0.1', 'localhost'))).rejects.toThrow('403')
    await expect(socketOf(url, { cookie: '', key: '' })).rejects.toThrow('403')
    await expect(socketOf(url, { cookie: `commonplace-${port}=wrong`, key: admission.key })).rejects.toThrow('403')
  })

  it('opens a socket only with cookie and key together, because every local server gets the cookie', async () => {
    const { url } = await openTestServer()
    const [one, other] = [await enter(url), await enter(url)]
    expect(one.cookie).not.toBe(other.cookie)
    await expect(socketOf(url, { ...one, key: '' })).rejects.toThrow('403')
    await expect(socketOf(url, { ...one, cookie: '' })).rejects.toThrow('403')
    await expect(socketOf(url, { ...one, key: other.key })).rejects.toThrow('403')
    const ask = async ({ cookie, key }: Admission) =>
      (await fetch(new URL('/rpc', url), { headers: { Cookie: cookie, 'Commonplace-Key': key } })).status
    expect([await ask(one), await ask({ ...one, key: other.key })]).toEqual([204, 401])
    const again = await fetch(url, { redirect: 'manual', headers: { Cookie: one.cookie } })
    expect(again.headers.get('location')).toContain(one.key)
    ;(await socketOf(url, one)).close()
  })

  it('speaks the contract with error codes', async () => {
    const { url } = await openTestServer()
    const client = await connect(url)
    expect(await client.workspace.list({ agent: 'main' })).toMatchObject([{ path: 'MEMORY.md', kind: 'memory' }])
    const known = (await client.workspace.list({ agent: 'main' })).map(({ path, kind, date, unsearched }) => ({
      path,
      kind,
      ...(date && { date }),
      ...(unsearched && { unsearched }),
    }))
    expect(await client.workspace.names({ agent: 'main' })).toEqual(known)
    await expect(client.workspace.read({ agent: 'main', path: '../../etc/passwd' })).rejects.toMatchObject({
      code: 'path_outside_workspace',
      data: { path: '../../etc/passwd' },
    })
    await expect(client.workspace.list({ agent: 'nobody' })).rejects.toMatchObject({ code: 'unknown_agent' })
    await expect(client.search.query({ agent: 'main', query: 'x', options: { maxResults: -1 } })).rejects.toMatchObject(
      { code: 'input_invalid' },
    )
    await expect(client.workspace.list({ agent: '../x' })).rejects.toMatchObject({ code: 'input_invalid' })
  })

  it('sends changes to all clients and ends a cancelled stream', async () => {
    const { url } = await openTestServer()
    const [writer, reader] = [await connect(url), await connect(url)]
    const stop = new AbortController()
    const seen: string[] = []
    const following = (async () => {
      for await (const event of await reader.events.subscribe(undefined, { signal: stop.signal })) seen.push(event.type)
    })().catch(() => undefined)
    await until(() => seen.includes('hello'))
    await writer.workspace.remember({ agent: 'main', text: 'a note' })
    await until(() => seen.includes('filesChanged') && seen.includes('indexChanged'))
    stop.abort()
    await following
  })

  it('cancelling a search aborts the request to the provider', async () => {
    const provider = await startModelServer()
    const { url } = await openTestServer({
      config: `agents:\n  defaults:\n    memory: { embedding: { provider: openai-compatible, model: hashed, baseUrl: "${provider.openAiUrl}" } }\n  list: [{ id: main, workspace: "{{workspace}}" }]\n`,
    })
    const client = await connect(url)
    await until(async () => (await client.search.status({ agent: 'main' })).embedded === 1)
    provider.embeddings = { dimensions: 64, delayMs: 2500 }
    const before = provider.requests.length
    const stop = new AbortController()
    const search = client.search.query({ agent: 'main', query: 'memory' }, { signal: stop.signal })
    await until(() => provider.requests.length > before)
    stop.abort()
    await expect(search).rejects.toThrow()
    await until(() => provider.aborted.count === 1, 1500)
  })

  it('reports an unusable folder, and the first start can be repeated', async () => {
    const { url } = await openTestServer({ config: '' })
    const client = await connect(url)
    const setUp = (workspace: string) => client.agents.setUp({ agent: 'main', workspace, locale: 'en' })
    await expect(setUp('/proc/nowhere')).rejects.toMatchObject({ code: 'folder_unusable' })
    expect((await client.settings.get()).firstRun).toBe(true)
    expect((await setUp(await temporaryFolder())).created).toContain('MEMORY.md')
    expect((await client.settings.get()).firstRun).toBe(false)
  })
})

describe('lifecycle', () => {
  it('starts and stops many times without leftovers', async () => {
    const { createApp } = await import('../../../src/main/app/composition/create-app.ts')
    const { app, home } = await openTestApp({ watch: true })
    await app.agents.get('main')
    await app.close()
    const before = process.getActiveResourcesInfo().length
    for (let round = 0; round < rounds(5, 50); round += 1) {
      const again = await createApp({ mainFolder, env: {}, home })
      if (round % 10 === 0) await again.agents.get('main')
      await again.close()
    }
    await until(() => process.getActiveResourcesInfo().length <= before + 2)
  }, 90_000)
})
