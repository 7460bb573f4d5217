export { boundedFetch, type Fetch } from './bounded-fetch.ts'
export { isShallow } from './nesting.ts'
export { redirected, redirectTarget } from './redirects.ts'
export { retryAfterOf } from './retry-after.ts'
