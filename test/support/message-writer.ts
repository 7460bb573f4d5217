/** Appends messages to a transcript: `message-writer FILE NAME COUNT`. */
import { Transcript } from '../../src/main/agent/sessions/transcript.ts'

const [file = '', name = '', count = '1'] = process.argv.slice(2)
const transcript = await Transcript.open(file)
for (let number = 0; number < Number(count); number += 1) {
  const content = `message-${name}-${number}`
  await transcript.appendMessage({ role: 'user', content, timestamp: Date.now() })
  process.stdout.write(`${content}\n`)
}
