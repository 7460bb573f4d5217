/** Completes a text of a locale file: replaces each `{{name}}` by its value. */
export function fillText(text: string, values: Readonly<Record<string, unknown>> = {}): string {
  return text.replaceAll(/\{\{(\w+)\}\}/g, (_match, name: string) => String(values[name]))
}
