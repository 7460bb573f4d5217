import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { maxImageBytes } from '../../../src/main/platform/net/remote-picture.ts'
import { openTestApp } from '../../support/app.ts'
import { dot } from '../../support/dot.ts'
import { listen } from '../../support/listen.ts'

/** Starts a server on this machine; only this test allows its address. */
const openServer = (answer: RequestListener) => listen(createServer(answer))

async function openPictures(isOpenAddress?: (address: string) => boolean) {
  const { client } = await openTestApp({ files: { 'MEMORY.md': '' }, ...(isOpenAddress ? { isOpenAddress } : {}) })
  return (address: string) => client.pictures.remote({ agent: 'main', path: 'MEMORY.md', address, isAllowed: false })
}

const here = (address: string) => address === '127.0.0.1'

describe('remote images', () => {
  it('follows redirects, returns the image with its type and sends no data about the user', async () => {
    const asked: IncomingMessage['headers'][] = []
    const server = await openServer((request, response) => {
      asked.push(request.headers)
      if (request.url === '/first') response.writeHead(302, { location: '/x.png', 'set-cookie': 'a=b' }).end()
      else response.writeHead(200, { 'content-type': 'image/jpeg' }).end(dot)
    })
    const load = await openPictures(here)
    expect(await load(`${server}/first`)).toEqual({ type: 'image/png', data: dot.toString('base64') })
    await load(`${server}/x.png`)
    expect(asked).toHaveLength(3)
    for (const headers of asked) {
      expect(headers).not.toHaveProperty('cookie')
      expect(headers).not.toHaveProperty('referer')
      expect(headers['user-agent']).toBe('Commonplace')
    }
  })

  it('never connects to this machine or its network, by any name or redirect', async () => {
    let asked = 0
    const server = await openServer((_request, response) => {
      asked += 1
      response.end(dot)
    })
    const { port } = new URL(server)
    const load = await openPictures()
    for (const address of [
      server,
      `http://localhost:${port}/`,
      `http://[::1]:${port}/`,
      `http://[::ffff:127.0.0.1]:${port}/`,
      `http://2130706433:${port}/`,
      `http://0x7f.1:${port}/`,
      `http://localhost.:${port}/`,
      `http://printer/x.png`,
      `http://router.local/x.png`,
      'http://169.254.169.254/latest/meta-data',
      'file:///etc/passwd',
      'ftp://example.com/x.png',
      'http://user:word@example.com/x.png',
      'data:image/png;base64,AAAA',
      'nothing',
    ])
      await expect(load(address), address).rejects.toMatchObject({ code: 'picture_refused' })
    expect(asked).toBe(0)

    let inside = 0
    const target = await openServer((_request, response) => {
      inside += 1
      response.end(dot)
    })
    const outside = await openServer((_request, response) => {
      response.writeHead(302, { location: target.replace('127.0.0.1', 'localhost') }).end()
    })
    const loadHere = await openPictures(here)
    await expect(loadHere(outside)).rejects.toMatchObject({ code: 'picture_refused' })
    expect(inside).toBe(0)
  })

  it('rejects large, invalid and missing images with a reason', async () => {
    const server = await openServer((request, response) => {
      const kind = { 'content-type': 'image/png' }
      if (request.url === '/large') response.writeHead(200, kind).end(Buffer.alloc(maxImageBytes + 1, dot))
      else if (request.url === '/bomb')
        response.writeHead(200, { ...kind, 'content-encoding': 'gzip' }).end(gzipSync(Buffer.alloc(4 * maxImageBytes)))
      else if (request.url === '/page') response.writeHead(200, { 'content-type': 'text/html' }).end('<html>')
      else if (request.url === '/script') response.writeHead(200, kind).end('<script>alert(1)</script>')
      else if (request.url === '/round') response.writeHead(302, { location: '/round' }).end()
      else response.writeHead(404, kind).end(dot)
    })
    const load = await openPictures(here)
    for (const name of ['large', 'bomb', 'page', 'script'])
      await expect(load(`${server}/${name}`), name).rejects.toMatchObject({ code: 'picture_unusable' })
    for (const name of ['round', 'none'])
      await expect(load(`${server}/${name}`), name).rejects.toMatchObject({ code: 'picture_unavailable' })
  })
})
