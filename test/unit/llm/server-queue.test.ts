import { expect, it } from 'vitest'
import { noUsage } from '../../../src/shared/chat/messages.ts'
import { withServerQueue } from '../../../src/main/llm/middleware/retry.ts'
import type { ChatModel, ModelRequest, Purpose } from '../../../src/main/llm/model.ts'
import { scriptedModel } from '../../support/scripted-model.ts'

const request = (kind: 'chat' | 'title'): ModelRequest => ({
  purpose: (kind === 'title' ? { kind } : { kind, today: '', time: '', todaysLog: '' }) as Purpose,
  system: [kind],
  messages: [],
  tools: [],
  maxOutput: 10,
})

/** A server that answers when told, and records what it receives. */
function openServer() {
  const log: string[] = []
  const answers: (() => void)[] = []
  const model = scriptedModel(async function* (draft, { system: [name = ''] }, signal) {
    log.push(`start ${name}`)
    await new Promise<void>((resolve, reject) => {
      answers.push(resolve)
      signal.addEventListener('abort', () => reject(signal.reason as Error))
    })
    yield { type: 'text', delta: 'x' }
    log.push(`end ${name}`)
    yield { type: 'done', message: draft.finish('stop', noUsage) }
  })
  return { log, answers, model: withServerQueue(model, `test ${Math.random()}`) }
}

async function run(model: ChatModel, kind: 'chat' | 'title', signal = new AbortController().signal): Promise<void> {
  for await (const _event of model.stream(request(kind), signal));
}

const settle = () => new Promise((resolve) => setTimeout(resolve, 5))

it('sends one request at a time, those of chats first', async () => {
  const { model, log, answers } = openServer()
  const all = [run(model, 'chat'), run(model, 'title'), run(model, 'chat')]
  for (let count = 0; count < 3; count += 1) {
    await settle()
    expect(log.filter((line) => line.startsWith('start'))).toHaveLength(count + 1)
    answers[count]?.()
  }
  await Promise.all(all)
  expect(log).toEqual(['start chat', 'end chat', 'start chat', 'end chat', 'start title', 'end title'])
})

it('stops background work without output for a chat, and repeats it afterwards', async () => {
  const { model, log, answers } = openServer()
  const title = run(model, 'title')
  await settle()
  const chat = run(model, 'chat')
  await settle()
  answers[1]?.()
  await chat
  await settle()
  answers[2]?.()
  await title
  expect(log).toEqual(['start title', 'start chat', 'end chat', 'start title', 'end title'])
})

it('leaves the queue when it is aborted', async () => {
  const { model, log, answers } = openServer()
  const first = run(model, 'chat')
  const stop = new AbortController()
  const second = run(model, 'chat', stop.signal)
  await settle()
  stop.abort(new Error('stopped'))
  await expect(second).rejects.toThrow('stopped')
  answers[0]?.()
  await first
  expect(log).toEqual(['start chat', 'end chat'])
})
