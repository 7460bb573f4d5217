import { expect, it } from 'vitest'
import { ClientWriteRequests } from '../../../src/main/interop/client-apps/client-requests.ts'

const request = { client: 'editor', name: 'Editor', agent: 'main', text: 'a note' }

it('rejects at once if the signal is already aborted, and opens no request', async () => {
  let changes = 0
  const requests = new ClientWriteRequests(() => (changes += 1), 60_000)
  const reason = new Error('the program has cancelled the call')
  await expect(requests.ask(request, AbortSignal.abort(reason))).rejects.toBe(reason)
  expect({ open: requests.list(), changes }).toEqual({ open: [], changes: 0 })
})

it('closes a request when its signal is aborted', async () => {
  const requests = new ClientWriteRequests(() => undefined, 60_000)
  const controller = new AbortController()
  const answer = requests.ask(request, controller.signal)
  expect(requests.list()).toMatchObject([request])
  controller.abort(new Error('cancelled'))
  await expect(answer).rejects.toThrow('cancelled')
  expect(requests.list()).toEqual([])
})
