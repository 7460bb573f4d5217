export { boundedFetch, type Fetch } from './bounded-fetch.ts'
