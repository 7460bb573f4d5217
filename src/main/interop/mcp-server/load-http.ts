/**
 * The server over HTTP, loaded when a program comes that way: it has Node load the network of the web, which a process
 * that a program started for itself never needs.
 */
export const loadHttp = () => import('./mcp-http.ts')
