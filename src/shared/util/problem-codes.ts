/** Problem codes while startup recovery completes an interrupted change; requests to the agent wait until then. */
export const recoveryProblemCodes = {
  move: 'move_ending',
  tag: 'tag_ending',
  replacement: 'replacement_ending',
} as const
