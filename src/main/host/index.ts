export { contentSecurityPolicy, securityHeaders } from './headers.ts'
export { serve, type Host } from './serve.ts'
export { openInBrowser } from './browser.ts'
