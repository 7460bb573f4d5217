export { lookAtFolder, namesIn } from './look-at-folder.ts'
export { readHabits } from './read-habits.ts'
export { VaultHabits, withOwn } from './vault-habits.ts'
