/** Codes of problems that both sides know by name; all others are only shown. */

/** While a move that a crash interrupted is being completed: nothing of the agent can be asked for until it is. */
export const changeEnding = 'change_ending'
