export { Clients } from './clients.ts'
