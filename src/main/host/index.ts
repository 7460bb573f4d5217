export { contentSecurityPolicy, securityHeaders } from './headers.ts'
export { serve, type ServeOptions } from './serve.ts'
export { openInBrowser } from './browser.ts'
