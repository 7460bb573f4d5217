/** Imported on demand: HTTP loads Node's network stack, which a stdio server does not need. */
export const loadHttp = () => import('./mcp-http.ts')
