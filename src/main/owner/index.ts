export { askOwner, withRuntime, type Runtime } from './command.ts'
export { ownerPlace } from './place.ts'
export { Resident } from './resident.ts'
