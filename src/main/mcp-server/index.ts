export type { AskOwner, MemoryAccess } from './access.ts'
export { clientId, clientName } from './caller.ts'
export { serveOverStdio } from './stdio.ts'
