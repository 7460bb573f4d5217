/** Imports a folder and prints a line when it begins. Tests kill this process. */
import { createApp } from '../../src/main/app/composition/create-app.ts'
import { mainFolder } from './built.ts'
import { runImport } from './import.ts'

const [home = '', path = ''] = process.argv.slice(2)
const app = await createApp({ mainFolder, env: {}, home, watch: false })
const { importer } = await app.agents.get('main')
await runImport(importer, { path, into: 'in', withAttachments: true }, () => process.stdout.write('importing\n'))
