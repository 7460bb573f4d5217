/** Continues the scripted conversation until it has the given number of turns. Tests kill this process. */
import { createApp } from '../../src/main/app/composition/create-app.ts'
import { mainFolder } from './built.ts'
import { messageText } from '../../src/shared/chat/messages.ts'
import { messageOf } from './scripted-conversation.ts'

const [home = '', turns = '0'] = process.argv.slice(2)
const app = await createApp({
  mainFolder,
  env: { ...process.env, ANTHROPIC_API_KEY: 'k' },
  home,
  now: () => new Date(2026, 0, 20, 10, 0),
})
const agent = await app.agents.get('main')
let session = (await agent.sessions.list())[0]?.id
for (;;) {
  const messages = session === undefined ? [] : (await agent.sessions.get(session)).messages()
  const said = messages.filter(
    ({ message }) => message.role === 'user' && messageText(message).includes('FACT-'),
  ).length
  if (said >= Number(turns)) break
  const sent = await agent.chat.send({ text: messageOf(said), session })
  await sent.ended
  session = sent.session
  process.stdout.write(`${said}\n`)
}
await app.close()
