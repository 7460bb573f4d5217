export { contentSecurityPolicy, securityHeaders } from './headers.ts'
export { serve, type Host } from './serve.ts'
