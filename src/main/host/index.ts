export { contentSecurityPolicy, securityHeaders } from './headers.ts'
export { answerRequests } from './requests.ts'
export { serve, type Host } from './serve.ts'
