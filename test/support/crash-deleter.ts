/** Erases phrases until it is killed or done: `crash-eraser FOLDERS REQUEST`, both as JSON. Prints a line when it begins. */
import { deletePermanently } from '../../src/main/workspace/deletion/delete-permanently.ts'

const [folders = '', request = ''] = process.argv.slice(2)
process.stdout.write('begins\n')
for await (const _ of deletePermanently(JSON.parse(folders), JSON.parse(request)));
