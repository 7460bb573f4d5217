export { boundedFetch, type Fetch } from './bounded-fetch.ts'
export { isShallow } from './nesting.ts'
