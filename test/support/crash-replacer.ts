/** Replaces a text in all notes and back, until it is killed: `node crash-replacer.ts HOME`. */
import { createApp } from '../../src/main/app/composition/create-app.ts'
import { mainFolder } from './app.ts'

const app = await createApp({ mainFolder, env: {}, home: process.argv[2] ?? '', watch: false })
const { findReplace } = await app.agents.get('main')

async function replaceAll(text: string, replacement: string): Promise<void> {
  let search = ''
  for await (const event of findReplace.find({ text, isPattern: false, matchCase: true }, undefined))
    if (event.type === 'done') search = event.search
  for await (const event of findReplace.replace({ search, replacement }, { cause: 'user' }))
    if (event.type === 'progress' && event.done === 0) process.stdout.write('replacing\n')
}

for (;;) {
  await replaceAll('walrus', 'narwhal')
  await replaceAll('narwhal', 'walrus')
}
