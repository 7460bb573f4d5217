/** Imports a folder, and says when it begins, until somebody kills it. */
import { createApp } from '../../src/main/app/composition/create-app.ts'

const [home = '', path = ''] = process.argv.slice(2)
const app = await createApp({ mainFolder: new URL('../../src/main/', import.meta.url), env: {}, home, watch: false })
const { importer } = await app.agents.get('main')
for await (const step of importer.run({ path, into: 'in', withAttachments: true }))
  if (step.type === 'progress') process.stdout.write('importing\n')
