/** What is told of a change of several files that a crash had interrupted and that was ended at the next start. */
import { changeEnding } from '../../shared/problem-codes.ts'
import type { CarriedOn } from '../workspace/index.ts'

/** While it is being ended: until then no file can be listed. */
export function endingReport(agent: string) {
  return { part: 'app', code: changeEnding, level: 'note', message: '', agent } as const
}

export function reportOf({ isDone, move, written, left }: CarriedOn, agent: string) {
  const of = move ? `${move.from} → ${move.to}` : 'tags'
  return {
    part: 'app',
    code: !isDone ? 'change_not_done' : left.length > 0 ? 'change_left' : 'change_ended',
    level: left.length > 0 ? 'warning' : 'note',
    message: [
      of,
      `${written} notes written now`,
      ...(left.length > 0 ? [`changed since, left as they are: ${left.slice(0, 20).join(', ')}`] : []),
    ].join('; '),
    agent,
  } as const
}
