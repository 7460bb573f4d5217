/** Erases phrases until it is killed or done: `crash-eraser FOLDERS REQUEST`, both as JSON. Prints a line when it begins. */
import { erase } from '../../src/main/workspace/erasure/erase.ts'

const [folders = '', request = ''] = process.argv.slice(2)
process.stdout.write('begins\n')
for await (const _ of erase(JSON.parse(folders), JSON.parse(request)));
