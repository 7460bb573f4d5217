/** Imports a folder and prints a line when it begins. Tests kill this process. */
import { createApp } from '../../src/main/app/composition/create-app.ts'
import { mainFolder } from './built.ts'

const [home = '', path = ''] = process.argv.slice(2)
const app = await createApp({ mainFolder, env: {}, home, watch: false })
const { importer } = await app.agents.get('main')
for await (const step of importer.run({ path, into: 'in', withAttachments: true }))
  if (step.type === 'progress') process.stdout.write('importing\n')
