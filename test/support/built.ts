/** Paths of the built app. Workers and commands start from it twice as fast as from the sources. */
import { fileURLToPath } from 'node:url'

export const mainFolder = new URL('../../out/main/', import.meta.url)
/** Entry of the command line. */
export const cli = fileURLToPath(new URL('cli/index.js', mainFolder))
/** The model that ships with the app. */
export const builtinModelFile = fileURLToPath(new URL('../../resources/models/builtin/model.bin', import.meta.url))
