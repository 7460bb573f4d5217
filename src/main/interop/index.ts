export { ClientApps } from './client-apps/client-apps.ts'
export { ClientInstaller } from './client-setup/client-installer.ts'
export { installedProgram, launcherPath, renewLauncher } from './client-setup/launcher.ts'
export { findOpenClawSettings } from './import/openclaw.ts'
export { findMemories, Importer, type ImportedMemories } from './import/importer.ts'
export { type MemoryAccess } from './mcp-server/caller.ts'
export { clientId, clientName } from './mcp-server/caller.ts'
export { type McpEndpoint } from './mcp-server/mcp-http.ts'
export { serveOverStdio } from './mcp-server/mcp-stdio.ts'
/** Imports the HTTP server on demand: it loads Node's network stack, which a stdio server does not need. */
export const loadHttp = () => import('./mcp-server/mcp-http.ts')
