/**
 * Remembers notes while another process has the memory open, prints the acknowledged ones, and ends with its input:
 * `bare-writer HOME NAME [MS]`. MS: pause between notes in milliseconds; default: none.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { createApp } from '../../src/main/app/composition/create-app.ts'
import { mainFolder } from './built.ts'

const [home = '', name = '', pauseMs = '0'] = process.argv.slice(2)
const app = await createApp({ mainFolder, env: {}, home, watch: false })
const writer = await app.agents.openWriter('main')
const input = process.stdin.resume()
for (let number = 0; !input.readableEnded; number += 1) {
  const note = `note-${name}-${number}`
  await writer.workspace.remember(note, new Date(2026, 0, 20, 9, 5), { cause: 'capture' })
  process.stdout.write(`${note}\n`)
  await sleep(Number(pauseMs))
}
await writer.close()
await app.close()
