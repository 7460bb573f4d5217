/** Colours that are distinguishable in the light and the dark theme. */
export const agentColors = [
  '#3f5bd9',
  '#2f8a7b',
  '#b7791f',
  '#a04fb5',
  '#c2453b',
  '#4d7c2f',
  '#2b7fb8',
  '#7a6a58',
] as const
