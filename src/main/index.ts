/** Entry of the desktop app. */
import { startDesktop } from './electron/desktop.ts'

await startDesktop(new URL('./', import.meta.url))
