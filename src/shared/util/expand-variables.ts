/** Replaces `${NAME}` by environment variables, so that secrets stay out of the settings; '' if one is not set. */
export function expandVariables(
  values: Readonly<Record<string, string>>,
  env: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  const expand = (value: string) => value.replace(variablePattern, (_match, variable: string) => env[variable] ?? '')
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, expand(value)]))
}

export const variablePattern = /\$\{(\w+)\}/g
