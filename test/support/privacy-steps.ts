/** Random steps of a user, of chats and of other programs. Their numbers choose among the notes and chats that exist. */
import fc from 'fast-check'

const weights = {
  write: 4,
  edit: 3,
  remove: 1,
  move: 2,
  undo: 2,
  markNote: 4,
  markSection: 3,
  markEntry: 5,
  markOutside: 3,
  markFolder: 0.1,
  settle: 3,
  open: 4,
  private: 4,
  ask: 14,
  paste: 2,
  attach: 1,
  makePrivate: 1,
  compact: 2,
  next: 2,
  remember: 1,
  searchCommand: 1,
  failFlush: 0.5,
  guest: 8,
  compareGuest: 1.2,
  compareChat: 0.8,
  restart: 0.06,
} as const

export type StepKind = keyof typeof weights

export interface Step {
  readonly kind: StepKind
  readonly at: number
  readonly to: number
  readonly flag: boolean
}

const numbers = { at: fc.nat(31), to: fc.nat(31), flag: fc.boolean() }

export const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    ...Object.entries(weights).map(([kind, weight]) => ({
      weight: weight * 100,
      arbitrary: fc.record({ kind: fc.constant(kind as StepKind), ...numbers }),
    })),
  ),
  { minLength: 1, maxLength: 20, size: 'max' },
)
