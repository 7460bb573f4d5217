/** Writes 500 changes with the client NAME as their author: `node log-writer.ts FOLDER NAME`. */
import { join } from 'node:path'
import { ChangeLog } from '../../src/main/workspace/changes/change-log.ts'
import { Workspace } from '../../src/main/workspace/files/workspace.ts'

const [folder = '', name = ''] = process.argv.slice(2)
const notes = join(folder, 'notes')
const log = new ChangeLog(join(folder, 'log.sqlite'), notes)
const workspace = new Workspace({ workspace: notes, forbidden: [] }, { log })
for (let number = 0; number < 500; number += 1) {
  // Every fifth change is to a note that both processes write.
  const path = number % 5 === 0 ? 'shared.md' : `${name}-${number % 20}.md`
  await workspace.edit(path, { cause: 'client', client: name }, (text = '') => `${text}${name} ${number}\n`)
}
workspace.close()
log.close()
