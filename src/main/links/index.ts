export { Links } from './links.ts'
export { linkMention, mendLink } from './mend.ts'
