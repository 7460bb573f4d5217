import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { describe, expect, it } from 'vitest'

const source = new URL('../../../src/main/platform/workers/skip-formdata-loading.ts', import.meta.url).href

/** What a fresh thread finds, before and after somebody needs the network after all. */
async function inThread(): Promise<unknown> {
  const worker = new Worker(
    `const { parentPort } = require('node:worker_threads')
    const isLoaded = () => process.moduleLoadList.some((name) => name.includes('undici'))
    import(${JSON.stringify(source)}).then(async ({ withForms, withoutForms }) => {
      withoutForms()
      const seen = [{} instanceof FormData, null instanceof FormData]
      const loaded = isLoaded()
      let refusal
      try { new FormData() } catch (error) { refusal = error.message }
      const form = await new Response(new URLSearchParams('name=value')).formData()
      const isForm = form instanceof FormData
      await withForms()
      const given = new FormData()
      given.append('file', new Blob(['bytes']), 'a.txt')
      const sent = (await new Response(given).formData()).get('file').name
      parentPort.postMessage({ seen, loaded, refusal, isForm, value: form.get('name'), sent })
    })`,
    { eval: true },
  )
  const [found] = (await once(worker, 'message')) as [unknown]
  await worker.terminate()
  return found
}

describe('M58 a cold start', () => {
  it('M58: a thread tells what is no form without loading the network, until forms are needed', async () => {
    expect(await inThread()).toEqual({
      seen: [false, false],
      loaded: false,
      refusal: 'no forms are made in this thread',
      isForm: true,
      value: 'value',
      sent: 'a.txt',
    })
  })
})
