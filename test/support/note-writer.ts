/** Remembers notes through the app and prints the acknowledged ones: `note-writer HOME NAME COUNT`. */
import { createApp } from '../../src/main/app/composition/create-app.ts'
import { mainFolder } from './built.ts'

const [home = '', name = '', count = '1'] = process.argv.slice(2)
const app = await createApp({ mainFolder, env: {}, home, watch: false })
const { workspace } = await app.agents.get('main')
for (let number = 0; number < Number(count); number += 1) {
  const note = `note-${name}-${number}`
  await workspace.remember(note, new Date(2026, 0, 20, 9, 5), { cause: 'capture' })
  process.stdout.write(`${note}\n`)
}
await app.close()
