/** Writes without pause and prints every completed write. Tests kill this process. */
import { createApp } from '../../src/main/app/composition/create-app.ts'
import { mainFolder } from './built.ts'

const [home = ''] = process.argv.slice(2)
const app = await createApp({ mainFolder, env: {}, home })
const { workspace } = await app.agents.get('main')
const from = Date.now()
process.stdout.write('ready\n')
for (let number = 0; ; number += 1) {
  const note = `note-${from}-${number}`
  await workspace.remember(note, new Date(2026, 0, 20, 9, 5), { cause: 'capture' })
  process.stdout.write(`${note}\n`)
  const path = `memory/file-${number % 5}.md`
  const text = `${'a line of text\n'.repeat(50 + (number % 40))}the end of ${from}-${number}\n`
  await workspace.write(path, text, { cause: 'user' })
}
