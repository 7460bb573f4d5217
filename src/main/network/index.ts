export { boundedFetch, type BodyLimits, type Fetch } from './bounded-fetch.ts'
