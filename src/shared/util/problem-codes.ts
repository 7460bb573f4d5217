/** While a change that a crash interrupted is being completed: nothing of the agent can be asked for until it is. */
export const changesEnding = { move: 'move_ending', tag: 'tag_ending', replacement: 'replacement_ending' } as const
