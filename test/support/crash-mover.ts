/**
 * Moves a folder back and forth, updates its links and prints every completed move. Tests kill this process.
 */
import { createApp } from '../../src/main/app/composition/create-app.ts'
import { mainFolder } from './built.ts'

const [home = ''] = process.argv.slice(2)
const app = await createApp({ mainFolder, env: {}, home, watch: false })
const { links, workspace } = await app.agents.get('main')
const places = ['target', 'elsewhere/renamed']
process.stdout.write('ready\n')
for (;;) {
  const [from = '', to = ''] = (await workspace.exists(places[0] ?? '')) ? places : places.toReversed()
  const { id } = await links.planMove({ from, to })
  process.stdout.write('moving\n')
  await links.move({ from, to }, id, { cause: 'user' })
  process.stdout.write('moved\n')
}
