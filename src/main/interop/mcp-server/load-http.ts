/** Imports the HTTP server on demand: it loads Node's network stack, which a stdio server does not need. */
export const loadHttp = () => import('./mcp-http.ts')
