/** What was built: threads and commands start from it in half the time that the sources take, and it is what people run. */
import { fileURLToPath } from 'node:url'

export const mainFolder = new URL('../../out/main/', import.meta.url)
/** Of the terminal. */
export const cli = fileURLToPath(new URL('cli/index.js', mainFolder))
