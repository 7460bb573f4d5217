export { guard } from './guard.ts'
export { Inbound } from './inbound.ts'
export { Rate } from './rate.ts'
export { answerRequests } from './requests.ts'
